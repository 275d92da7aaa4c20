import { Title } from "@mantine/core";
import type { ModelCallAnswer, ModelCallRequest } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import { formatNumber } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { MessageView } from "./message-view.tsx";

/** The input and the answer of one model call. */
export function ModelCallView({ request, answer }: { request: ModelCallRequest; answer: ModelCallAnswer }) {
  const { messages, tools, toolChoice, parameters, answerTokensMax, answerSchema } = request;
  const wishes = { ...parameters, ...(answerTokensMax === undefined ? {} : { max_tokens: answerTokensMax }) };
  const hasWishes = Object.keys(wishes).length > 0;
  return (
    <>
      <div className="ar-call-part">
        <Title order={3} size="h4">
          {texts.said}
        </Title>
        {answer.error !== undefined && (
          <p className="ar-flat ar-break">
            {answer.error.code}: {answer.error.message}
          </p>
        )}
        <MessageView
          speaker="assistant"
          content={answer.text}
          calls={answer.toolCalls}
          note={answerNote(answer)}
        />
      </div>
      <div className="ar-call-part">
        <Title order={3} size="h4">
          {texts.saw}
        </Title>
        <div className="ar-soft">
          {texts.messages(messages.length)} · {texts.toolsOffered(tools.length)}
          {tools.length > 0 && ` · ${texts.toolChoice(toolChoice)}`}
        </div>
        <ol className="ar-messages">
          {messages.map((message, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a recording never changes
            <li key={at}>
              <MessageView
                speaker={message.role}
                content={message.content}
                {...(message.role === "assistant" ? { calls: message.toolCalls ?? [] } : {})}
                {...(message.role === "tool" ? { note: message.name } : {})}
              />
            </li>
          ))}
        </ol>
        <OfferedTools tools={tools} />
        <details className="ar-step">
          <summary>{texts.parameters}</summary>
          {hasWishes ? (
            <JsonView value={wishes} label={texts.parameters} />
          ) : (
            <p className="ar-soft ar-fold-text">{texts.noParameters}</p>
          )}
        </details>
        {answerSchema !== undefined && (
          <details className="ar-step">
            <summary>{texts.schema}</summary>
            <JsonView value={answerSchema} label={texts.schema} />
          </details>
        )}
      </div>
    </>
  );
}

function answerNote({ provider, model, usage, finish }: ModelCallAnswer): string {
  return [
    provider === undefined ? undefined : `${provider}/${model}`,
    usage && texts.tokensNote(formatNumber(usage.inputTokens), formatNumber(usage.outputTokens)),
    finish && texts.finish(finish),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

/** The tools offered to a model, as it received them. */
function OfferedTools({ tools }: Pick<ModelCallRequest, "tools">) {
  if (tools.length === 0) return null;
  return (
    <details className="ar-step">
      <summary>{texts.toolsOffered(tools.length)}</summary>
      <ul className="ar-offered">
        {tools.map(({ name, description, parameters }) => (
          <li key={name}>
            <div className="ar-mono ar-break">{name}</div>
            <div className="ar-soft ar-break">{description}</div>
            <JsonView value={parameters} label={`${name}: ${texts.parameters}`} maxHeight={180} />
          </li>
        ))}
      </ul>
    </details>
  );
}
