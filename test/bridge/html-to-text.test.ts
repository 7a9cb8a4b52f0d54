import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../src/public/adapter.js';

describe('HTML of the rich text editor', () => {
  it.each([
    ['paragraphs', '<p>One</p>\n\n<p>Two<br />\nThree</p>\n', 'One\n\nTwo\nThree'],
    ['lines of their own', '<div>One</div><div><br></div><div>Two</div>', 'One\n\nTwo'],
    ['white space', '  a \n b\t<b> c</b>  <i>d </i> e', 'a b c d e'],
    ['hard blanks', 'a&nbsp;&nbsp;b', 'a  b'],
    ['lists', '<p>Do:</p><ul><li>one</li><li>two</li></ul><p>then</p>', 'Do:\n\n- one\n- two\n\nthen'],
    ['numbered lists', '<ol><li>one<ul><li>deep</li></ul></li><li>two</li></ol>', '1. one\n  - deep\n2. two'],
    ['links', 'see <a href="https://a.test/?x=1&amp;y=2">here</a>.', 'see here (https://a.test/?x=1&y=2).'],
    ['links that say it already', '<a href="https://a.test/">https://a.test</a>', 'https://a.test'],
    ['links that lead nowhere', '<a href="javascript:alert(1)">press</a> <a name=x>me</a>', 'press me'],
    ['tables', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['what was typed as it is', '<pre>a\n  b\n\nc</pre>', 'a\n  b\n\nc'],
    [
      'entities',
      '&lt;b&gt; &amp;amp; &quot;x&quot; &#39;y&#x27; &euro;5 &uuml; &unknown; &',
      '<b> &amp; "x" \'y\' €5 ü &unknown; &',
    ],
    ['characters by number', '&#128512;&#x1F600;&#0;&#xD800;', '😀😀'],
    ['all scripts', '<p>漢字 <b>שלום</b> 😀 नमस्ते</p>', '漢字 שלום 😀 नमस्ते'],
    ['hidden elements', '<style>p{}</style><script>x()</script><!-- <p>no</p> --><!DOCTYPE html>yes', 'yes'],
    ['a script that does not end', 'yes<script>if (a < b) x("</p>")', 'yes'],
    ['signs that are no tags', '1 < 2 > 0 and <3 <- <', '1 < 2 > 0 and <3 <- <'],
    ['quotes in tags', '<a title="a > b" href=\'https://a.test/\'>x</a>', 'x (https://a.test/)'],
    ['a quote that is left open', '<p class="x>One</p><p>Two</p>', 'One\n\nTwo'],
    ['images', '<img src="x" onerror="alert(1)">text', 'text'],
    ['nothing', '<p><br></p>', ''],
  ])('becomes text: %s', (_what, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it.each(['<', '<a "', '<script', '<!--', '<p>', '&', '<a href="', '<ul><li>', '</', '<a \'">'])(
    'is read in one go, whatever it is made of: %s',
    (piece) => {
      // A quadratic implementation would exceed the test's timeout.
      expect(typeof htmlToText(piece.repeat(100_000))).toBe('string');
    },
  );
});
