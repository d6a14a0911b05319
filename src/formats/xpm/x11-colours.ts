/**
 * Names, in lower case and without spaces, each followed by its colour: rgb.txt of the X Window
 * System.
 */
const names = `
  snow fffafa ghostwhite f8f8ff whitesmoke f5f5f5 gainsboro dcdcdc floralwhite fffaf0
  oldlace fdf5e6 linen faf0e6 antiquewhite faebd7 papayawhip ffefd5 blanchedalmond ffebcd
  bisque ffe4c4 peachpuff ffdab9 navajowhite ffdead moccasin ffe4b5 cornsilk fff8dc ivory fffff0
  lemonchiffon fffacd seashell fff5ee honeydew f0fff0 mintcream f5fffa azure f0ffff
  aliceblue f0f8ff lavender e6e6fa lavenderblush fff0f5 mistyrose ffe4e1 white ffffff black 000000
  darkslategray 2f4f4f darkslategrey 2f4f4f dimgray 696969 dimgrey 696969 slategray 708090
  slategrey 708090 lightslategray 778899 lightslategrey 778899 gray bebebe grey bebebe
  lightgrey d3d3d3 lightgray d3d3d3 midnightblue 191970 navy 000080 navyblue 000080
  cornflowerblue 6495ed darkslateblue 483d8b slateblue 6a5acd mediumslateblue 7b68ee
  lightslateblue 8470ff mediumblue 0000cd royalblue 4169e1 blue 0000ff dodgerblue 1e90ff
  deepskyblue 00bfff skyblue 87ceeb lightskyblue 87cefa steelblue 4682b4 lightsteelblue b0c4de
  lightblue add8e6 powderblue b0e0e6 paleturquoise afeeee darkturquoise 00ced1
  mediumturquoise 48d1cc turquoise 40e0d0 cyan 00ffff lightcyan e0ffff cadetblue 5f9ea0
  mediumaquamarine 66cdaa aquamarine 7fffd4 darkgreen 006400 darkolivegreen 556b2f
  darkseagreen 8fbc8f seagreen 2e8b57 mediumseagreen 3cb371 lightseagreen 20b2aa palegreen 98fb98
  springgreen 00ff7f lawngreen 7cfc00 green 00ff00 chartreuse 7fff00 mediumspringgreen 00fa9a
  greenyellow adff2f limegreen 32cd32 yellowgreen 9acd32 forestgreen 228b22 olivedrab 6b8e23
  darkkhaki bdb76b khaki f0e68c palegoldenrod eee8aa lightgoldenrodyellow fafad2
  lightyellow ffffe0 yellow ffff00 gold ffd700 lightgoldenrod eedd82 goldenrod daa520
  darkgoldenrod b8860b rosybrown bc8f8f indianred cd5c5c saddlebrown 8b4513 sienna a0522d
  peru cd853f burlywood deb887 beige f5f5dc wheat f5deb3 sandybrown f4a460 tan d2b48c
  chocolate d2691e firebrick b22222 brown a52a2a darksalmon e9967a salmon fa8072
  lightsalmon ffa07a orange ffa500 darkorange ff8c00 coral ff7f50 lightcoral f08080 tomato ff6347
  orangered ff4500 red ff0000 hotpink ff69b4 deeppink ff1493 pink ffc0cb lightpink ffb6c1
  palevioletred db7093 maroon b03060 mediumvioletred c71585 violetred d02090 magenta ff00ff
  violet ee82ee plum dda0dd orchid da70d6 mediumorchid ba55d3 darkorchid 9932cc darkviolet 9400d3
  blueviolet 8a2be2 purple a020f0 mediumpurple 9370db thistle d8bfd8 debianred d70751
  darkgrey a9a9a9 darkgray a9a9a9 darkblue 00008b darkcyan 008b8b darkmagenta 8b008b
  darkred 8b0000 lightgreen 90ee90`;

/** Names that are followed by 1, 2, 3 or 4, each followed by these four colours. */
const shades = `
  snow fffafa eee9e9 cdc9c9 8b8989 seashell fff5ee eee5de cdc5bf 8b8682
  antiquewhite ffefdb eedfcc cdc0b0 8b8378 bisque ffe4c4 eed5b7 cdb79e 8b7d6b
  peachpuff ffdab9 eecbad cdaf95 8b7765 navajowhite ffdead eecfa1 cdb38b 8b795e
  lemonchiffon fffacd eee9bf cdc9a5 8b8970 cornsilk fff8dc eee8cd cdc8b1 8b8878
  ivory fffff0 eeeee0 cdcdc1 8b8b83 honeydew f0fff0 e0eee0 c1cdc1 838b83
  lavenderblush fff0f5 eee0e5 cdc1c5 8b8386 mistyrose ffe4e1 eed5d2 cdb7b5 8b7d7b
  azure f0ffff e0eeee c1cdcd 838b8b slateblue 836fff 7a67ee 6959cd 473c8b
  royalblue 4876ff 436eee 3a5fcd 27408b blue 0000ff 0000ee 0000cd 00008b
  dodgerblue 1e90ff 1c86ee 1874cd 104e8b steelblue 63b8ff 5cacee 4f94cd 36648b
  deepskyblue 00bfff 00b2ee 009acd 00688b skyblue 87ceff 7ec0ee 6ca6cd 4a708b
  lightskyblue b0e2ff a4d3ee 8db6cd 607b8b slategray c6e2ff b9d3ee 9fb6cd 6c7b8b
  lightsteelblue cae1ff bcd2ee a2b5cd 6e7b8b lightblue bfefff b2dfee 9ac0cd 68838b
  lightcyan e0ffff d1eeee b4cdcd 7a8b8b paleturquoise bbffff aeeeee 96cdcd 668b8b
  cadetblue 98f5ff 8ee5ee 7ac5cd 53868b turquoise 00f5ff 00e5ee 00c5cd 00868b
  cyan 00ffff 00eeee 00cdcd 008b8b darkslategray 97ffff 8deeee 79cdcd 528b8b
  aquamarine 7fffd4 76eec6 66cdaa 458b74 darkseagreen c1ffc1 b4eeb4 9bcd9b 698b69
  seagreen 54ff9f 4eee94 43cd80 2e8b57 palegreen 9aff9a 90ee90 7ccd7c 548b54
  springgreen 00ff7f 00ee76 00cd66 008b45 green 00ff00 00ee00 00cd00 008b00
  chartreuse 7fff00 76ee00 66cd00 458b00 olivedrab c0ff3e b3ee3a 9acd32 698b22
  darkolivegreen caff70 bcee68 a2cd5a 6e8b3d khaki fff68f eee685 cdc673 8b864e
  lightgoldenrod ffec8b eedc82 cdbe70 8b814c lightyellow ffffe0 eeeed1 cdcdb4 8b8b7a
  yellow ffff00 eeee00 cdcd00 8b8b00 gold ffd700 eec900 cdad00 8b7500
  goldenrod ffc125 eeb422 cd9b1d 8b6914 darkgoldenrod ffb90f eead0e cd950c 8b6508
  rosybrown ffc1c1 eeb4b4 cd9b9b 8b6969 indianred ff6a6a ee6363 cd5555 8b3a3a
  sienna ff8247 ee7942 cd6839 8b4726 burlywood ffd39b eec591 cdaa7d 8b7355
  wheat ffe7ba eed8ae cdba96 8b7e66 tan ffa54f ee9a49 cd853f 8b5a2b
  chocolate ff7f24 ee7621 cd661d 8b4513 firebrick ff3030 ee2c2c cd2626 8b1a1a
  brown ff4040 ee3b3b cd3333 8b2323 salmon ff8c69 ee8262 cd7054 8b4c39
  lightsalmon ffa07a ee9572 cd8162 8b5742 orange ffa500 ee9a00 cd8500 8b5a00
  darkorange ff7f00 ee7600 cd6600 8b4500 coral ff7256 ee6a50 cd5b45 8b3e2f
  tomato ff6347 ee5c42 cd4f39 8b3626 orangered ff4500 ee4000 cd3700 8b2500
  red ff0000 ee0000 cd0000 8b0000 deeppink ff1493 ee1289 cd1076 8b0a50
  hotpink ff6eb4 ee6aa7 cd6090 8b3a62 pink ffb5c5 eea9b8 cd919e 8b636c
  lightpink ffaeb9 eea2ad cd8c95 8b5f65 palevioletred ff82ab ee799f cd6889 8b475d
  maroon ff34b3 ee30a7 cd2990 8b1c62 violetred ff3e96 ee3a8c cd3278 8b2252
  magenta ff00ff ee00ee cd00cd 8b008b orchid ff83fa ee7ae9 cd69c9 8b4789
  plum ffbbff eeaeee cd96cd 8b668b mediumorchid e066ff d15fee b452cd 7a378b
  darkorchid bf3eff b23aee 9a32cd 68228b purple 9b30ff 912cee 7d26cd 551a8b
  mediumpurple ab82ff 9f79ee 8968cd 5d478b thistle ffe1ff eed2ee cdb5cd 8b7b8b`;

/** Red, green and blue of an X11 colour name, from 0 to 255; undefined for an unknown one. */
export type ColourOfName = (name: string) => readonly [number, number, number] | undefined;

/** Parses the names; they are compared without regard to case and spaces. */
export const x11Colours = (): ColourOfName => {
  const colours = new Map<string, string>();
  for (const [, name = "", colour = ""] of names.matchAll(/(\w+) ([\da-f]{6})/g))
    colours.set(name, colour);
  for (const [, name, ...four] of shades.matchAll(/(\w+) (\w{6}) (\w{6}) (\w{6}) (\w{6})/g))
    for (const [index, colour] of four.slice(0, 4).entries())
      colours.set(`${name}${index + 1}`, String(colour));
  return (name) => {
    const plain = name.toLowerCase().replaceAll(/\s/g, "");
    const [, percent] = /^gr[ae]y(\d{1,3})$/.exec(plain) ?? [];
    if (percent !== undefined) {
      // As in the file, rounded after a multiplication that falls short of some halves.
      const light = Math.round(Number(percent) * 2.55);
      return light <= 255 ? [light, light, light] : undefined;
    }
    const colour = colours.get(plain);
    if (colour === undefined) return undefined;
    const value = Number.parseInt(colour, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  };
};
