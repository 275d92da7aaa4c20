/** Returns true if a text has visible content: more than white space, control and ignorable characters. */
export function saysSomething(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
