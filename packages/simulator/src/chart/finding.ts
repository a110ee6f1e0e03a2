/**
 * The title of a figure: the finding, if the figure shows it. Other settings and other seeds may not, and have a title
 * that says what is drawn.
 */
export function finding(holds: boolean, text: string, otherwise: string): string {
  return holds ? text : otherwise;
}
