import { answerHeader } from "../../../../mesh/message-signature.ts";
import type { AnswerWay, LineSource } from "./run-answer.ts";
import { linesType, wholeType } from "./whole-answer.ts";

/** The answer to a run as the response to its request. */
export class HttpWay implements AnswerWay {
  readonly #head = Promise.withResolvers<Response>();

  /** Resolves with the answer, or with the head of it. */
  get response(): Promise<Response> {
    return this.#head.promise;
  }

  whole(text: string, seal: string): void {
    this.#respond(text, wholeType, seal);
  }

  begin(lines: LineSource, seal: string): void {
    const whole = Promise.withResolvers<void>();
    // Bun's direct streams write to the socket without a queue in between.
    const body: Bun.DirectUnderlyingSource = {
      type: "direct",
      pull: (out) => {
        lines.opened({
          write(text) {
            out.write(text);
            out.flush();
          },
          end() {
            out.end();
            whole.resolve();
          },
        });
        return whole.promise;
      },
      cancel: (reason) => lines.left(reason),
    };
    this.#respond(new ReadableStream(body as unknown as UnderlyingDefaultSource), linesType, seal);
  }

  #respond(body: string | ReadableStream, type: string, seal: string): void {
    const headers = { "content-type": type, "cache-control": "no-store", [answerHeader]: seal };
    this.#head.resolve(new Response(body, { headers }));
  }
}
