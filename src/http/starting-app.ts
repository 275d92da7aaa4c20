import type { Liveness, Readiness } from "../contracts/health.ts";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import type { Origin } from "./call.ts";
import { codeAndMessage, errorHeaders } from "./errors/error-answer.ts";
import type { ServiceApp } from "./service-app.ts";

/** Time for which a request waits for the service. Bun would close a silent connection after 20 s. */
const waitMs = 10_000;

/**
 * Stands for a service that is being assembled, which takes seconds with thousands of agents or after an upgrade. It is alive and not ready,
 * and other requests wait for the service. From `serve` on, it is the service.
 */
export class StartingApp implements ServiceApp {
  readonly name: string;
  readonly #version: string;
  readonly #clock: Clock;
  readonly #assembled = Promise.withResolvers<void>();
  #app: ServiceApp | undefined;

  constructor(name: string, version: string, clock: Clock) {
    this.name = name;
    this.#version = version;
    this.#clock = clock;
  }

  serve(app: ServiceApp): void {
    this.#app = app;
    this.#assembled.resolve();
  }

  routes() {
    return this.#app?.routes() ?? [];
  }

  prepare(): void {
    this.#app?.prepare();
  }

  handle(request: Request, origin: Origin): Response | Promise<Response> {
    if (this.#app !== undefined) return this.#app.handle(request, origin);
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname === "/healthz")
      return Response.json({ status: "ok", service: this.name, version: this.#version } satisfies Liveness);
    if (request.method === "GET" && pathname === "/readyz") return notReady();
    return this.#later(request, origin);
  }

  fail(thrown: unknown): Response {
    return this.#app?.fail(thrown) ?? refusal();
  }

  async #later(request: Request, origin: Origin): Promise<Response> {
    const timeUp = Promise.withResolvers<void>();
    const cancel = this.#clock.timer(waitMs, timeUp.resolve);
    await Promise.race([this.#assembled.promise, timeUp.promise]);
    cancel();
    return this.#app?.handle(request, origin) ?? refusal();
  }
}

const retryHeaders = { "retry-after": "1", "x-content-type-options": "nosniff" };

function notReady(): Response {
  const message = "The server is starting.";
  const body: Readiness = { status: "not_ready", checks: [{ name: "start", ok: false, message }] };
  return Response.json(body, { status: 503, headers: retryHeaders });
}

function refusal(): Response {
  const error = new AppError("unavailable", "starting", "The server is starting. Try again in a second.");
  return Response.json(codeAndMessage.render(error, ""), {
    status: error.status,
    headers: { ...retryHeaders, ...errorHeaders(error) },
  });
}
