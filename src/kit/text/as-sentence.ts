/** Returns the text with a full stop, unless it ends as a sentence already. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
