import { randomBytes } from "node:crypto";
import { Eta } from "eta/core";
import type { Language } from "../../../contracts/console/language.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { BundleSource, ConsoleBundle } from "../assets/console-bundle.ts";
import { ownOrigin } from "../sessions/own-origin.ts";
import icon from "./icon.svg" with { type: "text" };
import { requestedLanguage } from "./requested-language.ts";
import template from "./shell.eta" with { type: "text" };

/**
 * Sets the colours before the first paint; the page's own script would run too late and flash. It is the only inline script of the page,
 * allowed by its hash.
 */
const prePaintScript = `(()=>{let s="auto";try{s=localStorage.getItem("argosy-color-scheme")||s}catch{}if(s!=="light"&&s!=="dark")s=matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light";document.documentElement.setAttribute("data-mantine-color-scheme",s)})()`;

/** Source expression for a content security policy. */
const prePaintSource = `'sha256-${new Bun.CryptoHasher("sha256").update(prePaintScript).digest("base64")}'`;

const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon.trim())}`;

/** Answers GET and HEAD requests for any page of the console with the same HTML shell, in the language of the request. */
export function createConsolePage(bundles: BundleSource): (request: Request) => Promise<Response> {
  const eta = new Eta({ autoEscape: true, varName: "page" });
  const shell = eta.compile(template);
  const render = (bundle: ConsoleBundle, language: Language, nonce: string) =>
    eta.render(shell, {
      language,
      ...shellTexts[language],
      nonce,
      icon: iconUrl,
      prePaint: prePaintScript,
      style: `/console/${bundle.style}`,
      script: `/console/${bundle.starts[language].script}`,
      preload: bundle.starts[language].preload.map((path) => `/console/${path}`),
    });
  return async (request) => {
    const bundle = await bundles.latest().catch(noConsole);
    if (bundle instanceof Response) return bundle;
    const nonce = randomBytes(16).toString("base64");
    const language = requestedLanguage(request);
    const html = render(bundle, language, nonce);
    return new Response(request.method === "HEAD" ? null : html, {
      headers: {
        ...headers,
        "content-language": language,
        vary: "accept-language, cookie",
        "content-security-policy": policy(nonce, new URL(ownOrigin(request))),
      },
    });
  };
}

/** Texts of the page before its script runs. */
const shellTexts: Readonly<Record<Language, { opening: string; noScript: string }>> = {
  en: {
    opening: "Opening the console…",
    noScript:
      "The console needs JavaScript, which is switched off in this browser. Everything it does can also be done from the command line: see `argosy help`.",
  },
  es: {
    opening: "Abriendo la consola…",
    noScript:
      "La consola necesita JavaScript, que está desactivado en este navegador. Todo lo que hace se puede hacer también desde la línea de comandos: consulta `argosy help`.",
  },
};

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Policy that allows only our own files, no inline script or style without this answer's nonce, and no framing. */
function policy(nonce: string, { protocol, host }: URL): string {
  // Older browsers don't include WebSockets of this host in 'self'.
  const sockets = `${protocol === "https:" ? "wss" : "ws"}://${host}`;
  return [
    "default-src 'none'",
    `script-src 'self' ${prePaintSource}`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Files of users' messages are read with the session's key, and shown from the page's own memory.
    "img-src 'self' data: blob:",
    "media-src blob:",
    "font-src 'self'",
    `connect-src 'self' ${sockets}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join("; ");
}

function noConsole(thrown: unknown): Response {
  const text =
    thrown instanceof AppError
      ? [thrown.message, thrown.details.hint].filter(Boolean).join("\n")
      : "The console can't be read from this program. Install Argosy again.";
  return new Response(`${text}\n`, {
    status: 503,
    headers: { ...headers, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}
