/*
 * Numbers that pages need. They have a file of their own because the widget must stay small: the schemas beside it bring their library with
 * them.
 */

/** Longest text of a visitor, in UTF-16 code units, which a text field of a page counts as well. */
export const visitorTextMax = 4096;

/** Most messages that one reading of a thread returns. */
export const threadMessagesMax = 200;
