// Start an MCP server and do with it what a client does, over its stdin and stdout, and print a line of JSON:
// stdio.mjs v1|v2|v2-auto TEXT COMMAND ARGUMENT ... (`{"refused": CODE}` where it cannot connect).

const [kind, text, command, ...args] = process.argv.slice(2);
const { Client, StdioClientTransport } = kind.startsWith("v2")
  ? {
      ...(await import("@modelcontextprotocol/client")),
      ...(await import("@modelcontextprotocol/client/stdio")),
    }
  : {
      ...(await import("@modelcontextprotocol/sdk/client/index.js")),
      ...(await import("@modelcontextprotocol/sdk/client/stdio.js")),
    };
const options = kind === "v2-auto" ? { versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: "typescript", version: "1" }, options);

async function called(name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return [result.isError === true, result.content[0].text];
  } catch (e) {
    return e.code;
  }
}

async function act() {
  const { tools } = await client.listTools();
  return {
    tools: tools.map((tool) => tool.name),
    echo: await called("echo", { text }),
    add: await called("add", { a: 1, b: 2.5 }),
    fail: await called("fail", {}),
    unknown: await called("no_such_tool", {}),
  };
}

try {
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  console.log(JSON.stringify(await act()));
} catch (e) {
  console.log(JSON.stringify({ refused: e.code ?? String(e) }));
}
await client.close();
