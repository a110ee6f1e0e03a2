/** Control characters, which a terminal obeys, and those that turn the direction of a line. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/gu;

/** A name or a message in one line, with nothing that a terminal obeys: `\u001b` in place of an escape. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Lines as above. Tabs stay. */
export function shownLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part, at) => (at % 2 === 1 ? part : escapeControls(part)))
    .join('');
}
