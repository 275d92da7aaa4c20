import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { createRoot } from "react-dom/client";
import { Approval, agentName, Composer } from "./parts.tsx";

const transport = new DefaultChatTransport({
  api: `/v1/agents/${encodeURIComponent(agentName)}/ui-messages`,
});

function ChatPage() {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const partOf = (part: UIMessage["parts"][number], key: number) => {
    if (part.type === "text") return <span key={key}>{part.text}</span>;
    if (!isToolUIPart(part)) return null;
    const tool = getToolName(part);
    if (part.state === "approval-requested") {
      const { id } = part.approval;
      const answer = (approved: boolean) => void addToolApprovalResponse({ id, approved });
      return <Approval key={key} tool={tool} onAnswer={answer} />;
    }
    return (
      <p key={key}>
        <code>{tool}</code>: {part.state.replaceAll("-", " ")}
      </p>
    );
  };
  return (
    <>
      <h1>{agentName}</h1>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map(partOf)}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <Composer
        isBusy={status === "submitted" || status === "streaming"}
        onSend={(text) => void sendMessage({ text })}
      />
    </>
  );
}

const root = document.getElementById("chat");
if (root) createRoot(root).render(<ChatPage />);
