/**
 * The text with words of more than so many characters cut: names, numbers and paths that somebody gave may be any, and
 * what is said about them is for people.
 */
export function shorten(text: string, most: number = 80): string {
  const long = new RegExp(`[^\\s\`]{${most},}`, "g");
  return text.replace(long, (word) => `${word.slice(0, Math.floor(0.75 * most))}...`);
}
