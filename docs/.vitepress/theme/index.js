// @ts-check
// Without the fonts of the default theme, which are larger than a page of text.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
