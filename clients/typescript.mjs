// The TypeScript SDK's client against `ctx serve`, in each protocol era:
// node typescript.mjs PROGRAM CACHE_ROOT CACHE SOURCES

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [program, cacheRoot, cache, sources] = process.argv.slice(2);
const PATIENCE = 60_000; // milliseconds
let size = 200; // tokens of a section: another in each era, so that each rebuild changes the cache

for (const mode of ["legacy", "auto", { pin: "2026-07-28" }]) {
  const client = new Client({ name: "try", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({ command: program, args: ["-m", "ctxcache", "serve", "--cache-root", cacheRoot] }),
  );
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["context.resolve", "context.list_caches", "context.inspect_cache", "context.read_document"],
  );

  const listed = await client.callTool({ name: "context.list_caches", arguments: {} });
  assert.ok(listed.structuredContent.caches.some((each) => each.path === cache));

  const question = { cache, query: "deployment", budget: 4000 };
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => client.callTool({ name: "context.resolve", arguments: question })),
  );
  for (const answer of answers) {
    assert.equal(answer.isError ?? false, false);
    assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent);
    assert.deepEqual(answer, answers[0]);
  }

  const { id, previous, next } = answers[0].structuredContent.documents[0];
  const read = await client.callTool({ name: "context.read_document", arguments: { cache, id } });
  assert.equal(read.structuredContent.id, id);
  assert.equal(previous ?? next, undefined); // an answer has no neighbours, a document read has

  const { resources } = await client.listResources();
  const uri = resources.find((each) => each.name === id && each.uri.startsWith(`ctx:///${cache}/`)).uri;
  const { contents } = await client.readResource({ uri });
  assert.equal(contents[0].text, read.structuredContent.content);
  const { resourceTemplates } = await client.listResourceTemplates();
  const ref = { type: "ref/resource", uri: resourceTemplates[0].uriTemplate };
  const { completion } = await client.complete({ ref, argument: { name: "cache", value: cache.slice(0, 2) } });
  assert.ok(completion.values.includes(cache));
  if (typeof mode === "string") assert.match(client.getInstructions(), new RegExp(`"${cache}"`));

  const failed = await client.callTool({ name: "context_inspect_cache", arguments: { cache: ".." } });
  assert.equal(failed.isError, true);
  assert.equal(JSON.parse(failed.content[0].text).error.code, "cache_missing");
  await assert.rejects(client.callTool({ name: "context.resolve", arguments: { budjet: 1 } }), /did you mean `budget`/);

  const isModern = client.getNegotiatedProtocolVersion() === "2026-07-28";
  const changed = new Promise((heard, fail) => {
    client.setNotificationHandler("notifications/resources/list_changed", heard);
    setTimeout(fail, PATIENCE, new Error("nothing was said of a rebuild")).unref();
  });
  if (isModern) await client.listen({ resourcesListChanged: true });
  const options = ["-c", `${cacheRoot}/${cache}`, "--force", "--max-tokens", `${size++}`];
  execFileSync(program, ["-m", "ctxcache", "build", sources, ...options], { stdio: "ignore" });
  await client.callTool({ name: "context.resolve", arguments: question });
  await changed;

  await client.close();
  const era = typeof mode === "string" ? mode : mode.pin;
  console.log(`TypeScript client, ${era}: ${tools.length} tools, 105 calls, the word of a rebuild`);
}
