import { HttpAgent, type Interrupt, type Message } from "@ag-ui/client";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Approval, agentName, Composer } from "./parts.tsx";

const agent = new HttpAgent({
  url: `/v1/agents/${encodeURIComponent(agentName)}/ag-ui`,
});

function ChatPage() {
  const [messages, setMessages] = useState<Message[]>([]);
  const [interrupts, setInterrupts] = useState<Interrupt[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState("");

  /** Begins a run, or goes on with the one that waits for a person. */
  const run = async (options: Parameters<typeof agent.runAgent>[0] = {}) => {
    setBusy(true);
    setFault("");
    setInterrupts([]);
    const show = () => setMessages([...agent.messages]);
    try {
      await agent.runAgent(options, { onMessagesChanged: show });
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setInterrupts([...agent.pendingInterrupts]);
    setBusy(false);
  };
  const send = (content: string) => {
    agent.addMessage({ id: `u${agent.messages.length}`, role: "user", content });
    setMessages([...agent.messages]);
    void run();
  };
  return (
    <>
      <h1>{agentName}</h1>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {typeof message.content === "string" ? message.content : null}
          {message.role === "assistant" &&
            message.toolCalls?.map((call) => (
              <p key={call.id}>
                <code>{call.function.name}</code> is called
              </p>
            ))}
        </article>
      ))}
      {interrupts.map(({ id, message = "" }) => (
        <Approval
          key={id}
          tool={message.replace(/ needs approval\.$/, "")}
          onAnswer={(approved) =>
            void run({ resume: [{ interruptId: id, status: "resolved", payload: { approved } }] })
          }
        />
      ))}
      {fault !== "" && <p role="alert">{fault}</p>}
      <Composer isBusy={isBusy || interrupts.length > 0} onSend={send} />
    </>
  );
}

const root = document.getElementById("chat");
if (root) createRoot(root).render(<ChatPage />);
