/** Texts that a sender gets when no agent answers. */
export const notices = {
  /** For a picture, a voice note, a button and so on. */
  other_kind: "Sorry, I can only read text messages for now. Please write to me in words.",
  too_long: "Sorry, that message is too long for me. Please send me a shorter one.",
  too_many: "You are writing faster than I can answer. Please wait a moment, then write again.",
  approval: "Someone has to approve that before I can go on. I will write to you when they have decided.",
  tool_result: "I have to wait for something before I can go on. I will write to you when it is there.",
  failed: "Sorry, something went wrong and I could not answer. Please try again in a moment.",
} as const;
