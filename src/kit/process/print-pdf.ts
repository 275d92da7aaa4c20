import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "../app-error.ts";

/** Debian's and Chrome's names. The one without windows starts faster. */
const programs = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

const timeLimitMs = 30_000;
/** Prints at once and waiting: a browser takes about 200 MiB. */
const atOnceMax = 2;
const waitingMax = 30;

/** Prints an HTML page, with its own print style without scripts or network, as PDF. */
export type PrintPdf = (html: string) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Returns a printer that uses Chromium, if it is installed. Throws 503 `pdf_unavailable` without it, 503 `too_busy` if 30 prints wait, and 502
 * `pdf_failed` if the browser fails.
 */
export function createPdfPrinter(find: () => string | undefined = findChromium): PrintPdf {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (html) => {
    const program = find();
    if (program === undefined) throw noChromium();
    if (running >= atOnceMax) {
      if (waiting.length >= waitingMax)
        throw new AppError("unavailable", "too_busy", "Too many PDFs are being printed. Try again.", {
          details: { retryAfterSeconds: 5 },
        });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await print(program, html);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

const findChromium = () => programs.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined;

async function print(program: string, html: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), "argosy-pdf-"));
  const [page, file] = [join(folder, "page.html"), join(folder, "page.pdf")];
  try {
    await mkdir(join(folder, "profile"), { mode: 0o700 });
    await writeFile(page, html, { mode: 0o600 });
    const child = Bun.spawn([program, ...argumentsFor(folder, file), pathToFileURL(page).href], {
      stdio: ["ignore", "ignore", "ignore"],
      cwd: folder,
      env: { HOME: folder, TMPDIR: folder, PATH: "/usr/local/bin:/usr/bin:/bin" },
      timeout: timeLimitMs,
      killSignal: "SIGKILL",
    });
    await child.exited;
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes === undefined || bytes.length === 0)
      throw new AppError("upstream_failed", "pdf_failed", "The browser could not print the page.");
    return new Uint8Array(bytes);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The page is our own text, its policy forbids scripts, and the browser gets no network. */
const argumentsFor = (folder: string, file: string): string[] => [
  "--headless",
  // Chromium has no sandbox for root.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--no-pdf-header-footer",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  `--user-data-dir=${join(folder, "profile")}`,
  `--print-to-pdf=${file}`,
];

const noChromium = () =>
  new AppError("unavailable", "pdf_unavailable", "PDF files need Chromium, which is not installed here.", {
    details: { hint: "Install Debian's chromium-headless-shell or chromium, or print the HTML page." },
  });
