/** The one element that a selector names; the page and its program belong together, so it is there. */
export function find<Type extends HTMLElement = HTMLElement>(selector: string): Type {
  const element = document.querySelector<Type>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

let announcing = 0;

/** Has a screen reader say what came of a change, once there are no more of them. */
export function announce(text: string): void {
  clearTimeout(announcing);
  announcing = window.setTimeout(() => {
    find('[data-announce]').textContent = text;
  }, 800);
}

/** Puts a text into the clipboard; `false` where the browser does not let it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects what an element shows, for copying by hand. */
export function selectAll(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
}
