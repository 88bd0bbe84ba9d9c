"""A chip of 8-bit registers on an I2C bus: what the drivers of such chips have in common."""


class I2CChip:
    """i2c: a bus like `machine.I2C`.  address: int, 7 bits.  Calls raise the bus' OSError, and allocate nothing."""

    def __init__(self, i2c, address):
        self._i2c = i2c
        self.address = address
        self._byte = bytearray(1)

    def get(self, register):
        """The byte in a register: int."""
        self._i2c.readfrom_mem_into(self.address, register, self._byte)
        return self._byte[0]

    def put(self, register, value):
        """Write a byte."""
        self._byte[0] = value
        self._i2c.writeto_mem(self.address, register, self._byte)

    def change(self, register, kept, bits):
        """Read, keep the bits of the mask `kept`, set `bits`, write."""
        self.put(register, self.get(register) & kept | bits)

    def put_all(self, table):
        """Write a table of three bytes an entry: register, `kept`, `bits`; where nothing is kept nothing is read."""
        for at in range(0, len(table), 3):
            if table[at + 1]:
                self.change(table[at], table[at + 1], table[at + 2])
            else:
                self.put(table[at], table[at + 2])
