import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, type VNode, watch } from 'vue';

/** Draws Mermaid source in the colours of the page. Without JavaScript it shows the source. */
export const Diagram = defineComponent({
  props: {
    /** The source, percent-encoded. */
    code: { type: String, required: true },
    label: { type: String, required: true },
  },
  setup(props) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const source = decodeURIComponent(props.code);
    const drawn = ref('');
    async function draw(): Promise<void> {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({
        startOnLoad: false,
        theme: isDark.value ? 'dark' : 'neutral',
        fontFamily: 'inherit',
      });
      drawn.value = (await mermaid.render(id, source)).svg;
    }
    onMounted(() => watch(isDark, draw, { immediate: true }));
    return (): VNode =>
      drawn.value === ''
        ? h('pre', { class: 'diagram', tabindex: 0 }, source)
        : h('div', { class: 'diagram', role: 'img', 'aria-label': props.label, innerHTML: drawn.value });
  },
});
