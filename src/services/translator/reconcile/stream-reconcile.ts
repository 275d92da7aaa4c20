import type { ReconcileFrame, ReconcileResult } from "../../../contracts/translator/reconcile.ts";
import type { Call } from "../../../http/call.ts";
import { codeAndMessage } from "../../../http/errors/error-answer.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import type { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import type { TellStep } from "./apply-changes.ts";

interface StreamedReconcile {
  /** Begins the reconcile, which ends by itself also if its caller leaves. */
  begin: (tell: TellStep) => Promise<ReconcileResult>;
  call: Call;
  request: Request;
  clock: Clock;
}

/** Answers with each step of a reconcile as a server-sent event, then with its result or its error. */
export function streamReconcile({ begin, call, request, clock }: StreamedReconcile): Response {
  const encode = (frame: ReconcileFrame) => encodeSse({ data: JSON.stringify(frame) });
  return eventStream({
    source: () => framesOf(begin),
    encode,
    encodeError: (error) => encode(errorFrame(error)),
    call,
    request,
    clock,
  });
}

async function* framesOf(begin: StreamedReconcile["begin"]): AsyncGenerator<ReconcileFrame, void> {
  const steps: ReconcileFrame[] = [];
  let woken = Promise.withResolvers<void>();
  let isOver = false;
  const ended = begin((step) => {
    steps.push(step);
    woken.resolve();
  }).finally(() => {
    isOver = true;
    woken.resolve();
  });
  // The error is thrown below, after the steps before it.
  ended.catch(() => undefined);
  for (;;) {
    yield* steps.splice(0);
    if (isOver && steps.length === 0) break;
    await woken.promise;
    woken = Promise.withResolvers<void>();
  }
  yield { type: "done", ...(await ended) };
}

const errorFrame = (error: AppError): ReconcileFrame => ({
  ...(codeAndMessage.render(error, "") as { error: string; message: string }),
  type: "error",
  status: error.status,
});
