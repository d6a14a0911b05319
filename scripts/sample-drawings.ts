const [width, height] = [1600, 1200];
const font = `font-family="DejaVu Sans, Liberation Sans, sans-serif"`;
const ink = "#1b1f2a";

/** The test chart as SVG, 1600 by 1200: nothing on it looks the same mirrored or rotated. */
export const chart = (): string =>
  svg(width, height, [
    `<rect width="${width}" height="${height}" fill="#f4f1e8"/>`,
    ...grid(),
    corner("A", 0, 0, "#c8372d"),
    corner("B", width - 150, 0, "#2f7d4f"),
    corner("C", width - 150, height - 150, "#2456a6"),
    corner("D", 0, height - 150, "#d99a1c"),
    text(200, 92, 60, "Vitrine test chart", "bold"),
    text(204, 132, 25, `${width} × ${height} pixels · the red A belongs at the top left`),
    ...patches(),
    ...ramps(),
    ...wedge(200, 750, 560, 200),
    ...star(1170, 700, 150),
    arrow(),
    ...lines(),
  ]);

/** A page of a document as SVG, 900 by 1200, with its number. */
export const page = (number: number): string => {
  const colour = ["#c8372d", "#2f7d4f", "#2456a6"][(number - 1) % 3] ?? ink;
  return svg(900, 1200, [
    `<rect width="900" height="1200" fill="#fbfaf6"/>`,
    `<rect width="900" height="150" fill="${colour}"/>`,
    text(50, 100, 60, "Three pages", "bold", "#ffffff"),
    `<text x="450" y="900" ${font} font-size="640" font-weight="bold" text-anchor="middle" fill="${colour}">${number}</text>`,
    text(50, 1050, 40, `This is page ${number} of 3.`),
    text(50, 1110, 28, `identifier;${number} asks for it`),
    ...Array.from(
      { length: number },
      (_, n) => `<circle cx="${830 - n * 60}" cy="1120" r="22" fill="${colour}"/>`,
    ),
  ]);
};

/** A shape over transparency as SVG, 800 by 600, its edges soft and hard. */
export const shape = (): string =>
  svg(800, 600, [
    `<defs><radialGradient id="soft"><stop offset="0.3" stop-color="#2456a6"/><stop offset="1" stop-color="#2456a6" stop-opacity="0"/></radialGradient>
   <linearGradient id="fade"><stop offset="0" stop-color="#c8372d" stop-opacity="0"/><stop offset="1" stop-color="#c8372d"/></linearGradient></defs>`,
    `<circle cx="250" cy="300" r="230" fill="url(#soft)"/>`,
    `<polygon points="${points(560, 280, 190, 80, 5)}" fill="#d99a1c"/>`,
    `<rect x="120" y="490" width="560" height="70" fill="url(#fade)"/>`,
    text(150, 320, 44, "see through", "bold", "#ffffff"),
  ]);

const svg = (w: number, h: number, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">${parts.join("\n")}</svg>`;

const text = (
  x: number,
  y: number,
  size: number,
  words: string,
  weight = "normal",
  fill = ink,
): string =>
  `<text x="${x}" y="${y}" ${font} font-size="${size}" font-weight="${weight}" fill="${fill}">${words}</text>`;

/** Lines every 50 pixels, stronger every 100, with the coordinate at each second of those. */
const grid = (): readonly string[] => {
  const parts: string[] = [];
  for (let x = 50; x < width; x += 50) {
    const strong = x % 100 === 0;
    parts.push(
      `<path d="M${x}.5 0V${height}" stroke="${strong ? "#b9b6ad" : "#dedacf"}" stroke-width="1"/>`,
    );
    if (x % 200 === 0) parts.push(text(x + 4, 16, 13, `x ${x}`));
  }
  for (let y = 50; y < height; y += 50) {
    const strong = y % 100 === 0;
    parts.push(
      `<path d="M0 ${y}.5H${width}" stroke="${strong ? "#b9b6ad" : "#dedacf"}" stroke-width="1"/>`,
    );
    if (y % 200 === 0) parts.push(text(4, y - 4, 13, `y ${y}`));
  }
  return parts;
};

const corner = (letter: string, x: number, y: number, colour: string): string =>
  `<rect x="${x}" y="${y}" width="150" height="150" fill="${colour}"/>
   <text x="${x + 75}" y="${y + 118}" ${font} font-size="120" font-weight="bold" text-anchor="middle" fill="#ffffff">${letter}</text>`;

/** Three rows of eight flat colours: pure ones, ones of nature, greys. */
const patches = (): readonly string[] =>
  [
    ["#ff0000", "#ffff00", "#00ff00", "#00ffff", "#0000ff", "#ff00ff", "#ffffff", "#000000"],
    ["#735244", "#c29682", "#627a9d", "#576c43", "#8580b1", "#67bdaa", "#d67e2c", "#505ba6"],
    ["#f3f3f2", "#dbdbdb", "#c8c8c8", "#a0a0a0", "#7a7a79", "#555555", "#343434", "#101010"],
  ].flatMap((row, y) =>
    row.map(
      (colour, x) =>
        `<rect x="${200 + x * 100}" y="${200 + y * 100}" width="96" height="96" fill="${colour}"/>`,
    ),
  );

const ramps = (): readonly string[] =>
  [
    ["#000000", "#ffffff"],
    ["#000000", "#ff0000"],
    ["#000000", "#00ff00"],
    ["#000000", "#0000ff"],
    ["#ff8800", "#0077ff"],
  ].flatMap(([from, to], n) => [
    `<defs><linearGradient id="ramp${n}"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs>`,
    `<rect x="200" y="${530 + n * 36}" width="796" height="32" fill="url(#ramp${n})"/>`,
  ]);

/** Lines that converge to the right, with their widths in pixels. */
const wedge = (x: number, y: number, w: number, h: number): readonly string[] => {
  const count = 12;
  const tip = 14;
  const at = (n: number, side: number): number => y + h / 2 + (n / (2 * count - 1) - 0.5) * side;
  return [
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="#ffffff"/>`,
    ...Array.from({ length: count }, (_, n) => {
      const [top, bottom] = [2 * n, 2 * n + 1];
      return `<path d="M${x} ${at(top, h)}L${x + w} ${at(top, tip)}V${at(bottom, tip)}L${x} ${at(bottom, h)}Z" fill="#000000"/>`;
    }),
    text(x, y + h + 26, 20, "lines 8 pixels wide here"),
    text(x + w - 60, y + h + 26, 20, "½ here"),
  ];
};

/** Rays that converge in the middle; one sector is red, so that rotations show. */
const star = (x: number, y: number, radius: number): readonly string[] =>
  Array.from({ length: 36 }, (_, n) => {
    const [from, to] = [n * 10 - 90, n * 10 - 85].map((degrees) => (degrees * Math.PI) / 180);
    const ray = [from, to].map((angle = 0) =>
      [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
        .map((v) => v.toFixed(2))
        .join(" "),
    );
    return `<path d="M${x} ${y}L${ray.join("L")}Z" fill="${n === 4 ? "#c8372d" : "#000000"}"/>`;
  });

const arrow = (): string =>
  `<path d="M1400 1000V420h-60l95-150 95 150h-60v580z" fill="#2456a6"/>
   <text x="1435" y="700" ${font} font-size="46" font-weight="bold" text-anchor="middle" fill="#ffffff" transform="rotate(-90 1435 700) translate(0 14)">this way up</text>`;

const lines = (): readonly string[] =>
  [
    [36, 1030],
    [26, 1066],
    [20, 1096],
    [16, 1122],
    [12, 1144],
    [9, 1162],
  ].map(([size = 0, y = 0]) =>
    text(200, y, size, `${size} px: Sphinx of black quartz, judge my vow; 0123456789`),
  );

const points = (x: number, y: number, outer: number, inner: number, count: number): string =>
  Array.from({ length: count * 2 }, (_, n) => {
    const radius = n % 2 === 0 ? outer : inner;
    const angle = (n * Math.PI) / count - Math.PI / 2;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  }).join(" ");
