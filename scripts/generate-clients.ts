/** Writes the types of the API clients from the OpenAPI document that the daemon serves. tests/clients fails if they are out of date. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientFiles } from "./generating/client-schemas.ts";

const root = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "argosy-clients-"));
const server = Bun.spawn(
  [process.execPath, join(root, "src/main.ts"), "serve", "--json", "--port", "0", "--services", "daemon"],
  { cwd: folder, stdio: ["ignore", "pipe", "inherit"] },
);
try {
  const { value } = await server.stdout.getReader().read();
  const { services } = JSON.parse(new TextDecoder().decode(value)) as { services: { url: string }[] };
  const document = await (await fetch(`${services[0]?.url}/openapi.json`)).json();
  for (const [path, text] of Object.entries(clientFiles(document))) await Bun.write(join(root, path), text);
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true, force: true });
}
