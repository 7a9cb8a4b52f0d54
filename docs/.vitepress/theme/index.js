// @ts-check
// Without the fonts of the default theme, which are larger than a page of text.
import { useData } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './style.css';

/** A link to the source of the page, for people and programs that prefer it. */
const AsMarkdown = () => {
  const { page, lang } = useData();
  const text = lang.value === 'zh-CN' ? '本页的 Markdown 版本' : 'This page as Markdown';
  // With a target, the link is left to the browser.
  return h('a', { class: 'as-markdown', href: `/${page.value.relativePath}`, target: '_self' }, text);
};

export default {
  ...theme,
  Layout: () => h(theme.Layout, null, { 'doc-footer-before': () => h(AsMarkdown) }),
};
