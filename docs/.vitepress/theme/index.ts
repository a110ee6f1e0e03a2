import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { rememberClient } from './client.ts';
import { Diagram } from './diagram.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Diagram', Diagram);
  },
  setup: rememberClient,
} satisfies Theme;
