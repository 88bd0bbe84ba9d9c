// A page of Chromium that does what it is told: browser.mjs PATH_OF_CHROMIUM.  A line of JSON is [method, ...arguments],
// a method of Playwright's page (or "keyboard.press" and so on), `open` with the options of a new page, or `said`; it is
// answered by a line, {"value": ...} or {"error": text}.

import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
let page;
let said = [];

const own = {
  async open(options) {
    if (page) await page.context().close();
    page = await (await browser.newContext(options)).newPage();
    page.setDefaultTimeout(15000);
    said = [];
    page.on("console", (message) => said.push([message.type(), message.text()]));
    page.on("pageerror", (error) => said.push(["error", String(error)]));
  },
  said: async () => said,
};

async function act([method, ...given]) {
  if (own[method]) return own[method](...given);
  const path = method.split(".");
  const last = path.pop();
  const target = path.reduce((from, name) => from[name], page);
  const value = await target[last](...given);
  return value instanceof Buffer ? value.toString("base64") : value;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const value = await act(JSON.parse(line));
    answer = { value: value !== null && typeof value === "object" && value._guid ? null : value };
  } catch (error) {
    answer = { error: error.message };
  }
  let text;
  try {
    text = JSON.stringify(answer);
  } catch {
    text = "{}"; // A handle of the browser's, which nobody asked for.
  }
  console.log(text);
}
await browser.close();
