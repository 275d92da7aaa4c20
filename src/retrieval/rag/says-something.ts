/** Whether a text has anything to be seen or heard: more than spaces, line breaks and characters that are never shown. */
export function saysSomething(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
