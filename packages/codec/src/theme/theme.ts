/** Colours and fonts of the catalog's pages and of the build report, as CSS variables, light and dark. */
export const THEME: string = `:root {
  color-scheme: light dark;
  --paper: #fbfaf7;
  --sheet: #ffffff;
  --ink: #1d1c1a;
  --quiet: #5d5a54;
  --line: #e3dfd6;
  --line-strong: #8a857a;
  --soft: #f3f0e9;
  --accent: #0f766e;
  --accent-ink: #0b5f58;
  --on-accent: #ffffff;
  --header: #b45309;
  --saved: #d8ebe7;
  --source: #8f8a7e;
  --bad: #b42318;
  --bad-soft: #fdf0ee;
  --warm-soft: #fdf4e3;
  --warm-line: #ecd3a1;
  --radius: 10px;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace;
}

@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161614;
    --sheet: #1e1e1b;
    --ink: #ecebe6;
    --quiet: #aaa69b;
    --line: #34332e;
    --line-strong: #7d796e;
    --soft: #262622;
    --accent: #2dd4bf;
    --accent-ink: #5eead4;
    --on-accent: #06231f;
    --header: #f5a742;
    --saved: #1d3b37;
    --source: #8d897e;
    --bad: #ff9b8f;
    --bad-soft: #34201d;
    --warm-soft: #2d2617;
    --warm-line: #5c4a22;
  }
}
`
