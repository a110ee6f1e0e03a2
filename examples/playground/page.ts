/** The element of a selector that is always on the page. */
export function find<Type extends HTMLElement = HTMLElement>(selector: string): Type {
  const element = document.querySelector<Type>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** The element that a figure is drawn into. */
export function plot(name: string): HTMLElement {
  return find(`[data-plot="${name}"]`);
}

/** A new element with properties and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Shows the finding of a figure above it, and on a narrow screen also below the controls. */
export function tell(figure: string, finding: string): void {
  for (const place of document.querySelectorAll(`[data-finding="${figure}"]`)) place.textContent = finding;
}

/** Hides the finding below the controls while the one above the figure is visible. */
export function hideRepeated(): void {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const peek = target.closest('section')?.querySelector<HTMLElement>('.peek');
      if (peek) peek.hidden = isIntersecting;
    }
  });
  for (const caption of document.querySelectorAll('figcaption')) observer.observe(caption);
}

const findings = new Set<string>();
let announcing = 0;

/** Announces findings to screen readers, once the settings have not changed for a while. */
export function announce(text: string): void {
  findings.add(text);
  clearTimeout(announcing);
  announcing = window.setTimeout(() => {
    find('[data-announce]').textContent = `${[...findings].join('. ')}.`;
    findings.clear();
  }, 800);
}

/** Copies a text to the clipboard. Returns `false` if the browser denies it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
