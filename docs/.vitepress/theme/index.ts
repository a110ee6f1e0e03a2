import { type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { rememberClient } from './client.ts';
import { Diagram } from './diagram.ts';
import './style.css';

/** The page of an address that is none. That of the default theme has no landmark, and a link whose name is not its text. */
const notFound = () =>
  h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'Page not found'),
    h('p', [h('a', { href: withBase('/') }, 'To the first page')]),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound }),
  enhanceApp({ app }) {
    app.component('Diagram', Diagram);
  },
  setup: rememberClient,
} satisfies Theme;
