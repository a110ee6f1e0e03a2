/** The one element that a selector names; the page and its program belong together, so it is there. */
export function find<Type extends HTMLElement = HTMLElement>(selector: string): Type {
  const element = document.querySelector<Type>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** The place of a figure. */
export function plot(name: string): HTMLElement {
  return find(`[data-plot="${name}"]`);
}

/** A new element with what is in it. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Writes above a figure what is to be seen in it, and below the controls on a narrow screen. */
export function tell(figure: string, finding: string): void {
  for (const place of document.querySelectorAll(`[data-finding="${figure}"]`)) place.textContent = finding;
}

/** Hides what stands below the controls while the same is to be seen above the figure. */
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

/** Has a screen reader say what came of the last changes, once there are no more of them. */
export function announce(text: string): void {
  findings.add(text);
  clearTimeout(announcing);
  announcing = window.setTimeout(() => {
    find('[data-announce]').textContent = `${[...findings].join('. ')}.`;
    findings.clear();
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
