import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Echo, ModelEvent } from "../../model.ts";
import { BaseReader } from "../wire/base-reader.ts";
import { endAnswer } from "../wire/end-answer.ts";
import { failureInAnswer } from "../wire/failure.ts";
import { textOf } from "../wire/json.ts";
import { argumentsText, type ToolCallDraft } from "../wire/tool-calls.ts";
import { countOf } from "../wire/usage.ts";

/** Reads one answer of `/api/chat`: the lines of a stream, or a single object in the same format. */
export class OllamaReader extends BaseReader {
  readonly #calls: ToolCallDraft[] = [];
  #thinking = "";

  protected takeObject(line: Record<string, unknown>): string {
    if (line.error) throw failureInAnswer(this.subject, line);
    if (line.done === true) {
      this.isDone = true;
      this.finish = line.done_reason ?? "";
      this.usage = {
        inputTokens: countOf(line.prompt_eval_count),
        outputTokens: countOf(line.eval_count),
        cachedTokens: undefined,
      };
    }
    return isRecord(line.message) ? this.#takeMessage(line.message) : "";
  }

  #takeMessage(message: Record<string, unknown>): string {
    if (Array.isArray(message.tool_calls)) for (const call of message.tool_calls) this.#takeCall(call);
    const thinking = textOf(message.thinking);
    this.#thinking += thinking;
    this.think(thinking);
    return this.visible(textOf(message.content));
  }

  /** Tool calls arrive complete; older servers give them no ids. */
  #takeCall(call: unknown): void {
    const about = isRecord(call) && isRecord(call.function) ? call.function : undefined;
    if (!isRecord(call) || !about) return;
    this.#calls.push({
      id: textOf(call.id),
      name: textOf(about.name),
      text: argumentsText(about.arguments),
    });
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  close(): ModelEvent[] {
    const rest = this.rest();
    const answer = {
      text: this.text,
      drafts: this.#calls,
      reason: this.finish,
      usage: this.usage,
      thoughts: this.thoughts,
      echo: () => this.#echo(),
    };
    return [...rest, ...endAnswer(this.subject, this.request, answer, this.newId)];
  }

  /** In the vendor's examples, the thoughts are sent back with their calls. */
  #echo(): Echo | undefined {
    if (this.#thinking === "") return undefined;
    return { of: this.subject.name, content: { thinking: this.#thinking } };
  }
}
