// The whole robot on a canvas, seen from the front and a little from above: a box that turns, on a foot with lights.

const SCENE_W = 400;
const SCENE_H = 340;
const TILT = 0.16; // radians that it is seen from above
const HEAD = { x: 104, y: 80, z: 56 }; // half of its size
const PANEL = 0.59; // of the panel's pixels
const CENTRE = { x: 200, y: 118 };

const NORMALS = { right: [1, 0, 0], left: [-1, 0, 0], top: [0, 1, 0], bottom: [0, -1, 0], front: [0, 0, 1] };
const CORNERS = {
  right: [[1, 1, 1], [1, 1, -1], [1, -1, -1], [1, -1, 1]],
  left: [[-1, 1, 1], [-1, 1, -1], [-1, -1, -1], [-1, -1, 1]],
  top: [[-1, 1, 1], [1, 1, 1], [1, 1, -1], [-1, 1, -1]],
  bottom: [[-1, -1, 1], [1, -1, 1], [1, -1, -1], [-1, -1, -1]],
};

// A function that turns a vector by yaw and pitch (degrees; left and up are positive) and projects it:
// [x, y down, nearness].
function turned(yaw, pitch) {
  const [a, b] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  const [sa, ca, sb, cb] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b)];
  const [st, ct] = [Math.sin(TILT), Math.cos(TILT)];
  return ([x, y, z]) => {
    const up = y * cb + z * sb;
    const ahead = z * cb - y * sb;
    const near = ahead * ca - x * sa;
    return [x * ca + ahead * sa, near * st - up * ct, up * st + near * ct];
  };
}

function drawRobot(context, width, state, face) {
  const style = getComputedStyle(document.documentElement);
  const paint = (name) => style.getPropertyValue("--" + name).trim();
  const c = context;
  const scale = width / SCENE_W;
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, SCENE_W, SCENE_H);
  drawFoot(c, paint);
  drawLights(c, state.lights, state.now, paint);
  drawHead(c, scale, state, face, paint);
  if (state.call) drawCall(c, state.call, paint);
}

function drawFoot(c, paint) {
  c.fillStyle = paint("floor");
  c.beginPath();
  c.ellipse(CENTRE.x, 290, 118, 18, 0, 0, 7);
  c.fill();
  c.fillStyle = paint("dark");
  c.beginPath();
  c.roundRect(CENTRE.x - 30, 170, 60, 50, 8);
  c.fill();
  c.fillStyle = paint("shade");
  c.beginPath();
  c.roundRect(CENTRE.x - 78, 206, 156, 82, 18);
  c.fill();
  c.fillStyle = paint("shell");
  c.beginPath();
  c.roundRect(CENTRE.x - 78, 216, 156, 72, 18);
  c.fill();
}

// Strips are columns from the outside in: the robot's left is to the right.
function drawLights(c, lights, now, paint) {
  const names = Object.keys(lights || {}).sort();
  names.forEach((name, i) => {
    const light = lights[name];
    const side = name.includes("left") ? 1 : name.includes("right") ? -1 : 0;
    const x = CENTRE.x + (side ? side * 58 : (i - (names.length - 1) / 2) * 24);
    const gap = Math.min(10.5, 56 / light.count);
    for (let n = 0; n < light.count; n++) {
      const color = lightColor(light, n, now);
      c.beginPath();
      c.arc(x, 252 + (n - (light.count - 1) / 2) * gap, gap * 0.36, 0, 7);
      c.fillStyle = color || paint("dark");
      c.shadowColor = color || "transparent";
      c.shadowBlur = color ? 14 : 0;
      c.fill();
      c.shadowBlur = 0;
    }
  });
}

// A CSS colour, or null for dark.
function lightColor(light, n, now) {
  if (light.mode === "off") return null;
  if (light.mode === "rainbow") return `hsl(${(360 * (now / light.interval_ms + n / light.count)) % 360} 100% 50%)`;
  if (light.mode === "blink" && floor(now / light.interval_ms) & 1) return null;
  return light.red + light.green + light.blue ? `rgb(${light.red} ${light.green} ${light.blue})` : null;
}

function drawHead(c, scale, state, face, paint) {
  const project = turned(state.yaw, state.pitch);
  const place = (x, y, z) => {
    const [px, py] = project([x * HEAD.x, y * HEAD.y, z * HEAD.z]);
    return [CENTRE.x + px, CENTRE.y + py];
  };
  c.lineJoin = "round";
  c.lineWidth = 12;
  for (const side in CORNERS) {
    if (project(NORMALS[side])[2] <= 0) continue;
    c.fillStyle = c.strokeStyle = paint(side === "bottom" ? "dark" : "shade");
    c.beginPath();
    for (const corner of CORNERS[side]) c.lineTo(...place(...corner));
    c.closePath();
    c.fill();
    c.stroke();
  }
  if (project(NORMALS.front)[2] <= 0) return;
  // The front's own axes, so that it is drawn flat.
  const [rx, ry] = project([1, 0, 0]);
  const [ux, uy] = project([0, -1, 0]);
  const [ox, oy] = place(0, 0, 1);
  c.save();
  c.transform(rx, ry, ux, uy, ox, oy);
  c.fillStyle = paint("shell");
  c.beginPath();
  c.roundRect(-HEAD.x - 6, -HEAD.y - 6, 2 * HEAD.x + 12, 2 * HEAD.y + 12, 14);
  c.fill();
  const [w, h] = [G.WIDTH * PANEL, G.HEIGHT * PANEL];
  c.beginPath();
  c.roundRect(-w / 2, -h / 2, w, h, 8);
  c.clip();
  c.drawImage(face, -w / 2, -h / 2, w, h);
  c.restore();
}

function drawCall(c, [number, name, given], paint) {
  c.font = "12px ui-monospace, monospace";
  c.textAlign = "center";
  c.textBaseline = "middle";
  let text = `#${number} ${name} ${given === "{}" ? "" : given}`;
  if (text.length > 52) text = text.slice(0, 51) + "…";
  c.fillStyle = paint("soft");
  c.fillText(text, CENTRE.x, 324);
}
