/** Verdict that a reaction expresses about the message that it is on. */
export type ReactionRating = "up" | "down";

/**
 * Emojis that say that an answer was good or bad, without variation selectors and skin tones. Every other emoji says neither: laughter,
 * tears and surprise may be about the topic.
 */
const ratings: ReadonlyMap<string, ReactionRating> = new Map<string, ReactionRating>([
  ...[..."👍❤🧡💛💚💙💜🖤🤍🤎🩷🩵🩶😍🥰😘😊🤩👏🙌🙏👌💯🔥🎉⭐🏆✅"].map((emoji) => [emoji, "up"] as const),
  ...[..."👎😡😠🤬💩🤮🤢😤🤡🖕❌"].map((emoji) => [emoji, "down"] as const),
  ["❤🔥", "up"],
  // Instagram names its reactions, and sends no emoji with some of them.
  ["love", "up"],
  ["like", "up"],
  ["dislike", "down"],
  ["angry", "down"],
]);

/** Variation selectors, skin tones and the joiner. */
const variants = /[\u{fe0e}\u{fe0f}\u{1f3fb}-\u{1f3ff}\u{200d}]/gu;

/** Returns the verdict of a reaction, or undefined for one that says neither good nor bad. */
export const ratingOf = (emoji: string): ReactionRating | undefined =>
  ratings.get(emoji.slice(0, 64).replace(variants, ""));
