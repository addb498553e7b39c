// The rules for the scripts of the dashboard and of its tests; lint.sh checks them. Prettier checks
// the layout.
import js from '@eslint/js';

const browser = [
  ...[
    'AbortController',
    'AbortSignal',
    'Blob',
    'DOMPoint',
    'IntersectionObserver',
    'ResizeObserver',
  ],
  ...['TextDecoderStream', 'URL', 'URLSearchParams', 'addEventListener', 'cancelAnimationFrame'],
  ...[
    'clearInterval',
    'clearTimeout',
    'crypto',
    'devicePixelRatio',
    'document',
    'fetch',
    'getComputedStyle',
    'history',
    'location',
    'setInterval',
  ],
  ...['matchMedia', 'performance', 'removeEventListener', 'reportError', 'requestAnimationFrame'],
  ...['sessionStorage', 'setTimeout', 'window'],
];
const node = [
  ...[
    'Buffer',
    'URLSearchParams',
    'URL',
    'console',
    'fetch',
    'performance',
    'process',
    'setTimeout',
    'clearTimeout',
  ],
  'structuredClone',
  // Used by functions that the tests run inside the page.
  ...['document', 'getComputedStyle', 'innerWidth', 'scrollTo', 'window', 'requestAnimationFrame'],
  ...['PerformanceObserver'],
];
const readable = names => Object.fromEntries(names.map(name => [name, 'readonly']));

const rules = {
  ...js.configs.recommended.rules,
  // A function fits on a screen.
  'max-lines-per-function': ['error', {max: 50}],
  'max-len': ['error', {code: 100}],
  'max-lines': ['error', {max: 250}],
  'max-params': ['error', {max: 5}],
  complexity: ['error', {max: 10}],
  'consistent-return': 'off',
  eqeqeq: 'error',
  'no-shadow': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'object-shorthand': 'error',
  'no-implicit-globals': 'error',
  'no-unused-vars': ['error', {args: 'after-used', argsIgnorePattern: '^_'}],
};

export default [
  {
    files: ['**/*.js'],
    languageOptions: {ecmaVersion: 2022, sourceType: 'module', globals: readable(browser)},
    rules,
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {ecmaVersion: 2022, sourceType: 'module', globals: readable(node)},
    rules: {...rules, 'max-lines': 'off'},
  },
];
