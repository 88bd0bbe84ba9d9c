// A server of the TypeScript SDK's second version, of both eras: modern_server.mjs PORT. It answers at /mcp, knows no
// sessions, and prints `listening on HOST:PORT`.

import { createServer } from "node:http";
import {
  McpServer,
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
} from "@modelcontextprotocol/server";
import * as z from "zod";

const TOKEN = "peer-token-0123456789";
const text = (text) => ({ content: [{ type: "text", text }] });
const Name = z.object({ name: z.string(), age: z.number().default(30) });

// Asks the first time, and is told the second time.
function asking(key, request, use) {
  return (args, ctx) => {
    const answer = ctx.mcpReq.inputResponses?.[key];
    return answer ? text(use(answer)) : inputRequired({ inputRequests: { [key]: request() }, requestState: "st\u00e4te" });
  };
}

function mcpServer() {
  const options = { capabilities: { logging: {}, tools: { listChanged: true } } };
  const server = new McpServer({ name: "typescript-sdk", version: "2" }, options);
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text: t }) => text("Echo: " + t));
  server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    text(`${a} + ${b} = ${a + b}`),
  );
  server.registerTool("fail", {}, () => ({ ...text("this tool always fails"), isError: true }));
  server.registerTool("slow", {}, (ctx) => new Promise((resolve) => {
    const timer = setTimeout(() => resolve(text("slept")), 20000);
    ctx.mcpReq.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      console.log("@slow cancelled");
      resolve(text("cancelled"));
    });
  }));
  server.registerTool("chatty", {}, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    await ctx.mcpReq.log("info", "half-way");
    if (progressToken !== undefined) {
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    }
    await ctx.mcpReq.log("info", "nearly there");
    return text("chatted");
  });
  server.registerTool("elicit", { inputSchema: z.object({}) }, (args, ctx) => {
    const who = acceptedContent(ctx.mcpReq.inputResponses, "who", Name);
    if (who) return text(`${who.name} is ${who.age}`);
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema: Name }) },
      requestState: "st\u00e4te",
    });
  });
  const message = { role: "user", content: { type: "text", text: "Say it" } };
  const sample = () => inputRequired.createMessage({ messages: [message], maxTokens: 10 });
  server.registerTool("sample", { inputSchema: z.object({}) }, asking("said", sample, (answer) => answer.content.text));
  const uris = (answer) => answer.roots.map((root) => root.uri).join(" ");
  server.registerTool("roots", { inputSchema: z.object({}) }, asking("roots", () => inputRequired.listRoots(), uris));
  server.registerTool("mirror", { inputSchema: z.object({ where: z.string().meta({ "x-mcp-header": "Where" }) }) }, (args) =>
    text("seen " + args.where),
  );
  server.registerTool("change", {}, () => {
    handler.notify.toolsChanged();
    return text("changed");
  });
  server.registerResource("text", "test://text", {}, (uri) => ({ contents: [{ uri: uri.href, text: "some text" }] }));
  const argsSchema = z.object({ name: completable(z.string(), (value) => [value + "a", value + "b"]) });
  server.registerPrompt("greet", { argsSchema }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: "Greet " + name } }],
  }));
  return server;
}

const handler = createMcpHandler(mcpServer);

// Node's request as the web's, and the web's response as Node's.
async function handle(req, res) {
  if (req.headers.authorization !== "Bearer " + TOKEN) return res.writeHead(401).end();
  const ended = new AbortController();
  res.on("close", () => ended.abort());
  const body = [];
  for await (const piece of req) body.push(piece);
  const request = new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method,
    headers: req.headers,
    body: body.length ? Buffer.concat(body) : undefined,
    signal: ended.signal,
  });
  const response = await handler.fetch(request);
  console.log(`@mcp ${req.method} ${response.status}`);
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) for await (const piece of response.body) res.write(piece);
  res.end();
}

const port = Number(process.argv[2]);
createServer((req, res) => handle(req, res).catch(() => res.destroy())).listen(port, "127.0.0.1", () =>
  console.log(`listening on 127.0.0.1:${port}`),
);
