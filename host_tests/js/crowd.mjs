// One client of a crowd: crowd.mjs URL TOKEN CALLS AT_ONCE. Prints a line of JSON: how many calls were answered well,
// and what became of the others.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token, calls, atOnce] = process.argv.slice(2);
const requestInit = { headers: { Authorization: "Bearer " + token } };
const client = new Client({ name: "crowd", version: "1" });
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
const failures = [];
let left = Number(calls);
let good = 0;

async function work() {
  while (left > 0) {
    const text = "🤖 " + left--;
    try {
      const result = await client.callTool({ name: "echo", arguments: { text } });
      if (result.content[0].text === "Echo: " + text) good++;
      else failures.push(result);
    } catch (e) {
      failures.push(`${e} (${e.cause})`);
    }
  }
}

try {
  await client.connect(transport);
  await Promise.all(Array.from({ length: Number(atOnce) }, work));
  await transport.terminateSession();
} catch (e) {
  failures.push(`${e} (${e.cause})`);
}
await client.close();
console.log(JSON.stringify({ good, failures }));
