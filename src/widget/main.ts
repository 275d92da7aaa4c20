import { ChatConnection, ChatFault, type ConnectionState } from "./connection.ts";
import { MessageList } from "./message-list.ts";
import { Panel } from "./panel.ts";
import { readTexts } from "./texts.ts";
import { Visit } from "./visit.ts";
import styles from "./widget.css" with { type: "text" };

/** A hidden page needs no messages, and browsers allow only a few connections. */
const hiddenMs = 60_000;

/** Adds the chat of an account to the page. */
function start(script: HTMLScriptElement, account: string): void {
  const given = script.dataset;
  const base = new URL(`./${encodeURIComponent(account)}`, script.src).href;
  const language = given.lang || document.documentElement.lang || navigator.language;
  const texts = readTexts(language, given);
  const visit = new Visit(`argosy-chat ${base}`);
  const openKey = `argosy-chat-open ${base}`;
  /** Messages that were not sent, by their refs. */
  const failed = new Map<string, { text: string; isLost: boolean }>();
  /** Times of answers that may be unread. */
  let answers: string[] = [];
  let sending = Promise.resolve();

  const deliver = async (ref: string, text: string) => {
    list.mark(ref, "sending");
    try {
      list.show(await connection.send(text, ref));
      failed.delete(ref);
    } catch (thrown) {
      const kind = thrown instanceof ChatFault ? thrown.kind : "lost";
      failed.set(ref, { text, isLost: kind === "lost" });
      list.mark(ref, kind === "limited" ? "limited" : "failed");
    }
  };
  const retry = (ref: string) => {
    const text = failed.get(ref)?.text;
    if (text === undefined) return;
    failed.delete(ref);
    sending = sending.then(() => deliver(ref, text));
  };
  /** What was lost with the network is sent again with it. */
  const retryLost = () => {
    for (const [ref, { isLost }] of [...failed]) if (isLost) retry(ref);
  };
  const list = new MessageList(
    texts,
    language,
    retry,
    given.ratings === "off" ? undefined : (id, rating) => connection.rate(id, rating),
  );
  const panel = new Panel(
    {
      texts,
      theme: given.theme === "light" || given.theme === "dark" ? given.theme : "auto",
      accent: given.color,
      position: given.position,
    },
    list.log,
    styles,
    {
      onSend(text) {
        const ref = newRef();
        list.propose(ref, text);
        sending = sending.then(() => deliver(ref, text));
      },
      onToggle(isOpen) {
        remember(openKey, isOpen);
        if (isOpen) list.log.scrollTop = list.log.scrollHeight;
        countUnread();
      },
    },
  );
  const countUnread = () => {
    const newest = answers.at(-1);
    if (panel.isOpen && !document.hidden && newest !== undefined) visit.sawUntil(newest);
    answers = answers.filter((at) => at > visit.read);
    panel.setUnread(answers.length);
  };
  let lastState: ConnectionState = "idle";
  const showStatus = () => {
    if (navigator.onLine) panel.setStatus(lastState === "waiting" ? texts.reconnecting : "");
    else panel.setStatus(texts.offline);
  };
  const connection = new ChatConnection(base, visit, {
    onMessage(message) {
      const isNew = list.show(message);
      if (message.ref !== undefined) failed.delete(message.ref);
      if (isNew && message.lado === "agente") answers.push(message.at);
      countUnread();
    },
    onState(state) {
      if (state === "open" && lastState !== "open") retryLost();
      lastState = state;
      showStatus();
    },
    onForgotten() {
      answers = [];
      list.clear();
      countUnread();
    },
  });

  let hiding: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => connection.stop(), hiddenMs);
    else connection.follow();
    countUnread();
  });
  for (const change of ["online", "offline"]) {
    addEventListener(change, () => {
      connection.networkChanged();
      if (navigator.onLine) retryLost();
      showStatus();
    });
  }
  visit.onChange(() => {
    connection.follow();
    countUnread();
  });
  panel.show();
  connection.follow();
  if (isRemembered(openKey)) panel.toggle(true, false);
}

/** For this tab only. */
function remember(key: string, isOpen: boolean): void {
  try {
    if (isOpen) sessionStorage.setItem(key, "1");
    else sessionStorage.removeItem(key);
  } catch {
    // Closed storage.
  }
}

function isRemembered(key: string): boolean {
  try {
    return sessionStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/** `crypto.randomUUID` exists on secure pages only. */
const newRef = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const script = document.currentScript;
if (
  script instanceof HTMLScriptElement &&
  script.dataset.account !== undefined &&
  script.dataset.argosy === undefined
) {
  const { account } = script.dataset;
  script.dataset.argosy = "started";
  if (document.readyState === "loading")
    document.addEventListener("DOMContentLoaded", () => start(script, account));
  else start(script, account);
} else {
  // biome-ignore lint/suspicious/noConsole: The author of the page looks here.
  console.error('The chat needs <script src="…/webchat/widget.js" data-account="…">.');
}
