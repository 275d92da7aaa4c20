import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import type { BundleSource, ConsoleBundle } from "../../../../src/services/console/assets/console-bundle.ts";
import { createConsolePage } from "../../../../src/services/console/page/console-page.ts";

const bundle: ConsoleBundle = {
  files: [],
  style: "assets/style-1.css",
  starts: {
    en: { script: "assets/main-1.js", preload: ["assets/chunk-1.js", "assets/chunk-2.js"] },
    es: { script: "assets/main-2.js", preload: ["assets/chunk-3.js"] },
  },
};

const page = createConsolePage(always(async () => bundle));

function always(load: () => Promise<ConsoleBundle>): BundleSource {
  return { latest: load, current: load };
}

async function ask(url = "http://localhost:8000/studio", method = "GET") {
  const response = await page(new Request(url, { method }));
  return { response, html: await response.text(), policy: policyOf(response) };
}

function policyOf({ headers }: Response): Record<string, string[]> {
  const parts = (headers.get("content-security-policy") ?? "").split("; ");
  return Object.fromEntries(
    parts.map((part) => part.split(" ")).map(([name = "", ...values]) => [name, values]),
  );
}

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("base64");

describe("the page", () => {
  test("names the console's files, and nothing of elsewhere", async () => {
    const { html } = await ask();
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(named.filter((url) => !url?.startsWith("data:image/svg+xml,"))).toEqual([
      "/console/assets/style-1.css",
      "/console/assets/chunk-1.js",
      "/console/assets/chunk-2.js",
      "/console/assets/main-1.js",
    ]);
    expect(html).toContain('<meta charset="utf-8">');
    expect(html).toContain('<div id="root">');
    expect(html).toContain("<noscript>");
  });

  test("lets no script run but our files and the inline one", async () => {
    const { html, policy } = await ask();
    const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script);
    expect(policy["script-src"]).toEqual(["'self'", `'sha256-${sha256(inline[0] ?? "")}'`]);
    expect(inline).toHaveLength(1);
    expect(html).not.toMatch(/\son\w+=|style=|<style>(?!.*%)/);
  });

  test("has a nonce of its own for styles", async () => {
    const [first, second] = [await ask(), await ask()];
    const nonce = /<meta name="csp-nonce" content="([^"]+)">/.exec(first.html)?.[1];
    expect(first.policy["style-src"]).toEqual(["'self'", `'nonce-${nonce}'`]);
    expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(second.html).not.toContain(nonce ?? "");
  });

  test("allows nothing else", async () => {
    const { policy, response } = await ask();
    expect(policy).toMatchObject({
      "default-src": ["'none'"],
      "img-src": ["'self'", "data:", "blob:"],
      "media-src": ["blob:"],
      "font-src": ["'self'"],
      "connect-src": ["'self'", "ws://localhost:8000"],
      "base-uri": ["'none'"],
      "form-action": ["'self'"],
      "frame-ancestors": ["'none'"],
      "object-src": ["'none'"],
    });
    const { headers } = response;
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });

  test("opens sockets to its own host as it is served", async () => {
    const { policy } = await ask("https://console.example/");
    expect(policy["connect-src"]).toEqual(["'self'", "wss://console.example"]);
    const headers = { host: "console.example", "x-forwarded-proto": "https" };
    const proxied = await page(new Request("http://console.example/", { headers }));
    expect(policyOf(proxied)["connect-src"]).toEqual(["'self'", "wss://console.example"]);
  });

  test("HEAD has its headers without it", async () => {
    const { response, html, policy } = await ask("http://localhost/", "HEAD");
    expect([response.status, html]).toEqual([200, ""]);
    expect(policy["default-src"]).toEqual(["'none'"]);
  });
});

describe("the language of the page", () => {
  const langOf = async (headers: Record<string, string>) => {
    const response = await page(new Request("http://localhost:8000/studio", { headers }));
    const html = await response.text();
    const [, lang] = /<html lang="([^"]+)">/.exec(html) ?? [];
    expect(response.headers.get("content-language")).toBe(lang ?? "");
    expect(response.headers.get("vary")).toBe("accept-language, cookie");
    return { lang, html };
  };

  test.each([
    ["", "en"],
    ["es", "es"],
    ["ES-mx", "es"],
    ["es-419,es;q=0.9,en;q=0.8", "es"],
    ["de-DE,de;q=0.9,es;q=0.5,en;q=0.4", "es"],
    ["en;q=0.4, es;q=0.5", "es"],
    ["es;q=0,en", "en"],
    ["es;q=0", "en"],
    ["est,esu-US", "en"],
    ["de,*", "en"],
    [";;q=,,=;q=x,es;q=x", "en"],
  ])("for Accept-Language %j is %s", async (header, lang) => {
    expect((await langOf({ "accept-language": header })).lang).toBe(lang);
  });

  test.each([
    ["argosy_language=es", "en", "es"],
    ["argosy_console_8000=a; argosy_language=en", "es", "en"],
    ["argosy_language=xx", "es", "es"],
    ["argosy_language=__proto__", "es", "es"],
    ["argosy_language", "es", "es"],
    ["not_argosy_language=es", "en", "en"],
  ])("with the cookie %j and a browser in %s is %s", async (cookie, header, lang) => {
    expect((await langOf({ cookie, "accept-language": header })).lang).toBe(lang);
  });

  test("decides its scripts and its texts", async () => {
    const { html } = await langOf({ "accept-language": "es" });
    expect(html).toContain('src="/console/assets/main-2.js"');
    expect(html).toContain('href="/console/assets/chunk-3.js"');
    expect(html).not.toContain("main-1.js");
    expect(html).toContain("Abriendo la consola…");
    expect(html).toContain("La consola necesita JavaScript");
  });
});

describe("without a console", () => {
  const missing = new AppError("unavailable", "console_missing", "It isn't there.", {
    details: { hint: "Do this." },
  });

  test.each([
    [missing, "It isn't there.\nDo this.\n"],
    [new Error("/secret/path"), "The console can't be read from this program. Install Argosy again.\n"],
  ])("the page is 503 and says what to do", async (thrown, text) => {
    const answer = await createConsolePage(
      always(async () => {
        throw thrown;
      }),
    )(new Request("http://localhost/"));
    expect([answer.status, await answer.text()]).toEqual([503, text]);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
