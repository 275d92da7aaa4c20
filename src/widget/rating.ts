import type { VisitorRating, VisitorThreadMessage } from "../contracts/gateway/webchat.ts";
import { element, icon, icons } from "./dom.ts";
import type { Texts } from "./texts.ts";

type Rating = VisitorRating["calificacion"];

/** Saves a rating of an answer. Rejects if it is not saved. */
export type Rate = (id: string, rating: Rating) => Promise<void>;

/** Two toggle buttons below an answer. Pressing a pressed one withdraws the rating. */
export function ratingButtons({ id, calificacion }: VisitorThreadMessage, texts: Texts, rate: Rate): Node {
  let saved: Rating = calificacion ?? null;
  let wanted = saved;
  let saving = Promise.resolve();
  const fault = element("span", { role: "status" });
  const show = (text = "") => {
    for (const [button, rating] of buttons) button.setAttribute("aria-pressed", String(rating === wanted));
    fault.textContent = text;
  };
  const save = async (rating: Rating) => {
    // Only the last of several quick choices counts.
    if (rating !== wanted || rating === saved) return;
    try {
      await rate(id, rating);
      saved = rating;
    } catch {
      if (rating !== wanted) return;
      wanted = saved;
      show(texts.unrated);
    }
  };
  const button = (rating: "up" | "down", name: string) => {
    const attributes = { type: "button", class: rating, "aria-label": name, title: name };
    const made = element("button", attributes, icon(icons.up));
    made.addEventListener("click", () => {
      const next = wanted === rating ? null : rating;
      wanted = next;
      show();
      saving = saving.then(() => save(next));
    });
    return [made, rating] as const;
  };
  const buttons = [button("up", texts.good), button("down", texts.bad)];
  show();
  return element("div", { class: "rating" }, ...buttons.map(([made]) => made), fault);
}
