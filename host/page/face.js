// The face on a plane of 320 x 240, by the sums of the firmware's features.py, effects.py and balloon.py.

const G = /*{geometry}*/null;
const floor = Math.floor;
const css = (color) => "#" + color.toString(16).padStart(6, "0");

// Draws as the firmware's pen does: a pixel is at its middle, and radii reach to the middle of the last one.
class Pen {
  constructor(context) {
    this.c = context;
  }

  disc(x, y, rx, ry, color) {
    if (rx < 0 || ry < 0) return;
    this.c.fillStyle = css(color);
    this.c.beginPath();
    this.c.ellipse(x + 0.5, y + 0.5, rx + 0.5, ry + 0.5, 0, 0, 7);
    this.c.fill();
  }

  box(x, y, w, h, color) {
    this.c.fillStyle = css(color);
    this.c.fillRect(x, y, w, h);
  }

  polygon(points, color) {
    this.c.fillStyle = this.c.strokeStyle = css(color);
    this.c.lineWidth = 1;
    this.c.lineJoin = "round";
    this.c.beginPath();
    for (let i = 0; i < points.length; i += 2) this.c.lineTo(points[i] + 0.5, points[i + 1] + 0.5);
    this.c.closePath();
    this.c.fill();
    this.c.stroke();
  }

  rounded(x, y, w, h, r, color) {
    this.c.fillStyle = css(color);
    this.c.beginPath();
    this.c.roundRect(x, y, w, h, r);
    this.c.fill();
  }

  // Characters side by side, each in a cell of its own.
  text(x, y, text, cell, color) {
    this.c.fillStyle = css(color);
    this.c.font = "bold " + cell + "px monospace";
    this.c.textAlign = "center";
    this.c.textBaseline = "middle";
    for (const character of text) {
      this.c.fillText(character, x + cell / 2, y + cell / 2);
      x += cell;
    }
  }
}

function drawFace(context, face, phase) {
  const pen = new Pen(context);
  pen.box(0, 0, G.WIDTH, G.HEIGHT, face.secondary);
  if (face.screen) {
    drawScreen(pen, face);
    return;
  }
  drawEye(pen, face.eyes[0], 1, face);
  drawEye(pen, face.eyes[1], -1, face);
  drawLips(pen, face.mouth, face);
  if (face.effect) {
    const [x, y, r] = G.EFFECTS[face.effect];
    EFFECTS[face.effect](pen, x, y, r, phase, G.EFFECT_COLORS[face.effect], face.secondary);
  }
  if (face.balloon) drawBalloon(pen, face.balloon);
}

// inner: 1 if the nose is to the right of the eye, -1 if to the left.
function drawEye(pen, numbers, inner, face) {
  const [x, y, rx, ry, lidIn, lidOut, cheek, pinch, browH, browY, slope] = numbers;
  let nose = x + inner * (rx + 1);
  let away = x - inner * (rx + 1);
  const band = (topAway, topNose, lowAway, lowNose, color) =>
    pen.polygon([away, topAway, nose, topNose, nose, lowNose, away, lowAway], color);
  if (pinch >= 50) {
    const thick = Math.min(7, ry);
    const bend = nose - inner * 2 * thick;
    pen.polygon(
      [away, y - ry, nose, y, away, y + ry, away, y + ry - thick, bend, y, away, y - ry + thick],
      face.primary,
    );
  } else {
    pen.disc(x, y, rx, ry, face.primary);
  }
  if (lidIn || lidOut) {
    const top = y - ry - 1;
    const tall = 2 * ry + 1;
    band(top, top, top + floor((tall * lidOut) / 100), top + floor((tall * lidIn) / 100), face.secondary);
  }
  if (cheek) {
    const low = floor((2 * ry * (100 - cheek)) / 100);
    pen.disc(x, y + low + 7, rx - 7, ry, face.secondary);
    pen.box(x - rx - 1, y + low + 4, 2 * rx + 3, ry + 1, face.secondary);
  }
  if (browH) {
    const top = y - browY - floor(browH / 2);
    nose += inner * 5;
    away -= inner * 5;
    band(top - slope, top + slope, top + browH - slope, top + browH + slope, face.primary);
  }
}

// The upper edge from left to right, and the lower edge back; then the tongue.
function drawLips(pen, numbers, face) {
  const [x, y, w, h, top, bottom, tilt, wave, tongue] = numbers;
  const last = G.MOUTH_POINTS - 1;
  const upper = [];
  const lower = [];
  for (let i = 0; i <= last; i++) {
    const u = floor((200 * i) / last) - 100;
    const middle = 100 - floor((u * u) / 100);
    const px = x + floor((w * u) / 200);
    const line = y + floor((tilt * u) / 100) - floor(h / 2) + (i & 1 ? wave : -wave);
    const edge = line + floor((top * middle) / 100);
    upper.push(px, edge);
    lower.unshift(px, Math.max(edge + 3, line + h + floor((bottom * middle) / 100)));
  }
  pen.polygon(upper.concat(lower), face.primary);
  if (tongue) pen.disc(x, y + floor(h / 2) + bottom, floor(w / 4), tongue, G.TONGUE);
}

const PULSE = [0, 1, 2, 3, 3, 2, 1, 0];
const EFFECTS = {
  sweat(pen, x, y, r, phase, color) {
    y += 3 * phase;
    pen.disc(x, y, r, r, color);
    pen.polygon([x - r, y - 2, x, y - 2 * r - 2, x + r, y - 2], color);
    pen.disc(x - floor(r / 3), y + floor(r / 4), 2, 3, 0xffffff);
  },
  anger(pen, x, y, r, phase, color, behind) {
    r += PULSE[phase];
    for (const [thick, paint] of [[floor(r / 3), color], [floor(r / 3) - 4, behind]]) {
      pen.box(x - thick, y - r, 2 * thick + 1, 2 * r + 1, paint);
      pen.box(x - r, y - thick, 2 * r + 1, 2 * thick + 1, paint);
    }
  },
  heart(pen, x, y, r, phase, color) {
    r += PULSE[phase];
    const half = floor((r + 1) / 2);
    pen.disc(x - half, y, half, half, color);
    pen.disc(x + half, y, half, half, color);
    pen.polygon([x - 2 * half, y + 2, x, y - 2, x + 2 * half, y + 2, x, y + r + half], color);
  },
  bubbles(pen, x, y, r, phase, color, behind) {
    for (let i = 0; i < 3; i++) {
      const at = phase + 8 * i;
      const radius = r - 3 + floor(at / 3);
      pen.disc(x + at, y - 2 * at, radius, radius, color);
      pen.disc(x + at, y - 2 * at, radius - 2, radius - 2, behind);
    }
  },
  chill(pen, x, y, r, phase, color) {
    for (let i = 0; i < 4; i++) pen.box(x + 24 - 15 * i, y, 4, r - 9 * i + 2 * PULSE[(phase + 2 * i) & 7], color);
  },
};

function drawBalloon(pen, lines) {
  const { zoom, cell, pitch, balloon } = G.LAYOUT;
  const [x, y, w, h] = balloon;
  const tall = 5 * zoom;
  pen.rounded(x, y, w, h, 5 * zoom, G.BALLOON_TEXT);
  pen.rounded(x + zoom, y + zoom, w - 2 * zoom, h - 2 * zoom, 4 * zoom, G.BALLOON);
  for (const [wide, down, color] of [[zoom, 0, G.BALLOON_TEXT], [0, zoom, G.BALLOON]]) {
    for (let row = 0; row < tall; row++) {
      const half = floor((row * 3) / 4) + wide;
      pen.box(x + w / 2 - half, y - tall + row + down, 2 * half, 1, color);
    }
  }
  lines.forEach((line, i) => pen.text(x + 4 * zoom, y + 3 * zoom + i * pitch, line, cell, G.BALLOON_TEXT));
}

// The status screen. A line that is too long is shown in the smaller size, and cut into pieces.
function drawScreen(pen, face) {
  const { zoom, cell } = G.LAYOUT;
  const left = 4 * zoom;
  const { lines, battery_percent: percent } = face.screen;
  if (percent !== null) {
    const x = G.WIDTH - 22 * zoom;
    pen.box(x, left, 16 * zoom, 8 * zoom, face.primary);
    pen.box(x + 16 * zoom, left + 2 * zoom, 2 * zoom, 4 * zoom, face.primary);
    pen.box(x + zoom, left + zoom, 14 * zoom, 6 * zoom, face.secondary);
    const color = percent < 20 ? G.BATTERY_LOW : face.primary;
    pen.box(x + 2 * zoom, left + 2 * zoom, floor((12 * zoom * percent) / 100), 4 * zoom, color);
  }
  let y = left + 12 * zoom;
  for (const line of lines) {
    const columns = floor((G.WIDTH - 2 * left) / cell);
    const size = line.length <= columns ? cell : cell / 2;
    const most = floor((G.WIDTH - 2 * left) / size);
    for (let i = 0; i < Math.max(1, line.length); i += most) {
      pen.text(left, y, line.slice(i, i + most), size, face.primary);
      y += floor((size * 10) / 8);
    }
    y += 2 * zoom;
  }
}
