import { createHmac } from "node:crypto";
import type { A2aTask, A2aUpdate } from "../../../contracts/daemon/a2a.ts";
import type { GuardedNetwork } from "../../../engine/tools/network/guarded-network.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import { type Random, retry } from "../../../kit/retry.ts";
import { isFinal, type KeptTask, type TaskWatcher } from "./task-store.ts";

/** Where the updates of a task are sent. */
export interface PushConfig {
  id: string;
  /** Version in which the receiver reads them. */
  version: "0.3" | "1.0";
  url: string;
  /** Shared with the receiver: it is sent with each notification, and signs it. */
  token: string | undefined;
  authorization: { scheme: string; credentials: string } | undefined;
}

export interface PushPorts {
  network: Pick<GuardedNetwork, "request">;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
  /** What a notification says, in the receiver's version. */
  write: (push: PushConfig, task: A2aTask, update: A2aUpdate) => object;
}

const configsMax = 4;
const inFlightMax = 16;
const waitingMax = 1_000;
const timeoutMs = 10_000;
const attempts = { attempts: 3, delaysMs: [1_000, 5_000] };

/** Sends the changes of tasks to those who asked for them. What can't be delivered in three attempts is logged. */
export class PushNotifications {
  readonly #ports: PushPorts;
  readonly #gate = new AdmissionGate({ inFlightMax, waitingMax });

  constructor(ports: PushPorts) {
    this.#ports = ports;
  }

  /** Sends the task's updates from now on. A configuration with the same id is replaced. */
  add(kept: KeptTask, push: PushConfig): void {
    requireAddress(push);
    this.remove(kept, push.id);
    if (kept.pushes.size >= configsMax)
      throw new AppError("unprocessable", "too_many", `A task may have ${configsMax} push configurations.`);
    const watcher = this.#watcher(kept, push);
    kept.pushes.set(push.id, { push, watcher });
    if (!isFinal(kept.task.status.state)) kept.watchers.add(watcher);
  }

  remove(kept: KeptTask, id: string): boolean {
    const push = kept.pushes.get(id);
    if (push === undefined) return false;
    kept.watchers.delete(push.watcher);
    return kept.pushes.delete(id);
  }

  #watcher({ task }: KeptTask, push: PushConfig): TaskWatcher {
    let last: Promise<void> = Promise.resolve();
    return {
      take: (update) => {
        // Pieces of an answer are for those who read the stream: its last one has the whole.
        if (update.kind === "artifact-update" && !update.lastChunk) return;
        const body = JSON.stringify(this.#ports.write(push, structuredClone(task), update));
        last = last.then(() => this.#deliver(push, task.id, body));
      },
      end: () => {},
    };
  }

  async #deliver(push: PushConfig, taskId: string, body: string): Promise<void> {
    const { clock, random, log, newId } = this.#ports;
    const id = newId();
    try {
      const leave = this.#gate.tryEnter() ?? (await this.#gate.enter());
      try {
        const shouldRetry = (thrown: unknown) =>
          !(thrown instanceof AppError) || thrown.code !== "network_refused";
        await retry(() => this.#post(push, id, body), { ...attempts, clock, random, shouldRetry });
      } finally {
        leave();
      }
    } catch (thrown) {
      log.warn("a2a.push_failed", { task_id: taskId, err: thrown });
    }
  }

  async #post({ url, token, authorization }: PushConfig, id: string, body: string): Promise<void> {
    const timestamp = String(Math.floor(this.#ports.clock.now().getTime() / 1000));
    const { status } = await this.#ports.network.request({
      url,
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(authorization && { authorization: `${authorization.scheme} ${authorization.credentials}` }),
        ...(token !== undefined && {
          "x-a2a-notification-token": token,
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${createHmac("sha256", token).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
        }),
      },
      body,
      timeoutMs,
      bodyBytesMax: 64 * 1024,
      whenLonger: "cut",
      redirectsMax: 0,
      signal: new AbortController().signal,
    });
    if (status === 429 || status >= 500)
      throw new AppError("upstream_failed", "push_refused", `The receiver answered ${status}.`);
  }
}

function requireAddress({ url, token, authorization }: PushConfig): void {
  const parsed = URL.parse(url);
  const isHeader = (text: string | undefined) => text === undefined || /^[\x20-\x7e]*$/.test(text);
  if ((parsed?.protocol !== "https:" && parsed?.protocol !== "http:") || parsed.username !== "")
    throw new AppError(
      "invalid",
      "invalid_request",
      "url must be an address that begins with http:// or https://.",
    );
  if (!isHeader(token) || !isHeader(authorization?.scheme) || !isHeader(authorization?.credentials))
    throw new AppError(
      "invalid",
      "invalid_request",
      "Token and credentials have visible ASCII characters only.",
    );
}
