import { onContentUpdated } from 'vitepress';
import { onMounted } from 'vue';

const KEY = 'ebb-client';

/** What was chosen before. A browser may refuse to store it. */
function chosenBefore(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(client: string): void {
  try {
    localStorage.setItem(KEY, client);
  } catch {
    // Then it holds for this page.
  }
}

/** Shows the program for a client in each group of tabs that has one. */
function show(client: string): void {
  for (const group of document.querySelectorAll('.vp-code-group')) {
    const tabs = [...group.querySelectorAll<HTMLInputElement>('.tabs input')];
    const chosen = tabs.find(({ labels }) => labels?.[0]?.textContent === client);
    if (chosen === undefined) continue;
    chosen.checked = true;
    for (const [at, block] of [...(group.querySelector('.blocks')?.children ?? [])].entries())
      block.classList.toggle('active', tabs[at] === chosen);
  }
}

/** A reader chooses a client once: the choice holds for all programs of the site, and for the next visit. */
export function rememberClient(): void {
  onMounted(() => {
    document.addEventListener('change', ({ target }) => {
      const tab = target as HTMLInputElement;
      const client = tab.matches('.vp-code-group input') ? tab.labels?.[0]?.textContent : undefined;
      if (client == null) return;
      store(client);
      show(client);
    });
  });
  onContentUpdated(() => {
    const client = chosenBefore();
    if (client !== null) show(client);
  });
}
