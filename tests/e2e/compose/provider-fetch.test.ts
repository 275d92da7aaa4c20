import { expect, test } from "bun:test";
import { join } from "node:path";

const source = (path: string) => JSON.stringify(join(import.meta.dir, "../../../src", path));

/** Fetches `url` in a process whose environment names a proxy. */
async function askBehindProxy(url: string, proxy: string): Promise<string> {
  const script = `const { createProviderFetch } = await import(${source("compose/provider-fetch.ts")});
    const { systemClock } = await import(${source("kit/clock.ts")});
    const providerFetch = createProviderFetch(systemClock);
    const ask = async () => (await providerFetch(${JSON.stringify(url)}, {})).text();
    console.write(await ask(), ", then ", await ask());`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: { HTTP_PROXY: proxy },
    stderr: "inherit",
  });
  return new Response(child.stdout).text();
}

test("a proxy of the environment is used, but for servers on this machine", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the server") });
  using proxy = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the proxy") });
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  for (const host of ["127.0.0.1", "localhost"])
    expect(await askBehindProxy(`http://${host}:${server.port}/`, proxyUrl)).toBe(
      "the server, then the server",
    );
  expect(await askBehindProxy("http://models.example/", proxyUrl)).toBe("the proxy, then the proxy");
});
