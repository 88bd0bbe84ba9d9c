"""BMI270 accelerometer of the M5Stack CoreS3, Core2 v1.3, AtomS3R: an imu port over micropython-lib's `bmi270`.

The chip runs nothing until a firmware of Bosch's has been loaded into it, which that package has and loads. A board
declares it in its manifest, `require("bmi270")`; `package.json` of this folder does, too.
"""

from .imu import AXES, Turned, nothing


class BMI270Imu(Turned):
    """sensor: a `bmi270.BMI270`, or whatever has `accel()` -> (x, y, z) in g, floats.  axes: see `imu.attach`."""

    def __init__(self, sensor, axes=AXES):
        Turned.__init__(self, axes)
        self._sensor = sensor

    def read(self):
        """[x, y, z] in mg: int. The list is the same each time; the package allocates its floats.  Raises OSError."""
        x, y, z = self._sensor.accel()
        if not (x or y or z):
            nothing()
        return self._turned(round(x * 1000), round(y * 1000), round(z * 1000))
