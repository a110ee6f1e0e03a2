"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.widthOf = widthOf;
exports.wrap = wrap;
/**
 * The advance widths of DejaVu Sans 2.37 for U+0020 to U+007E, in 2048ths of the font size: the `hmtx` tables of
 * `DejaVuSans.ttf` and `DejaVuSans-Bold.ttf`. It is the widest font that a figure is likely to be shown in, so these
 * widths are an upper bound.
 */
const REGULAR = table(`651 821 942 1716 1303 1946 1597 563 799 799 1024 1716 651 739 651 690 1303 1303 1303 1303 1303 1303 1303 1303 1303
  1303 690 690 1716 1716 1716 1087 2048 1401 1405 1430 1577 1294 1178 1587 1540 604 604 1343 1141 1767 1532 1612 1235
  1612 1423 1300 1251 1499 1401 2025 1403 1251 1403 799 690 799 1716 1024 1024 1255 1300 1126 1300 1260 721 1300 1298
  569 569 1186 569 1995 1298 1253 1300 1300 842 1067 803 1298 1212 1675 1212 1212 1075 1303 690 1303 1716`);
const BOLD = table(`713 934 1067 1716 1425 2052 1786 627 936 936 1071 1716 778 850 778 748 1425 1425 1425 1425 1425 1425 1425 1425 1425
  1425 819 819 1716 1716 1716 1188 2048 1585 1561 1503 1700 1399 1399 1681 1714 762 762 1587 1305 2038 1714 1741 1501
  1741 1577 1475 1397 1663 1585 2259 1579 1483 1485 936 748 936 1716 1024 1024 1382 1466 1214 1466 1389 891 1466 1458
  702 702 1362 702 2134 1458 1407 1466 1466 1010 1219 979 1458 1335 1892 1321 1335 1192 1458 748 1458 1716`);
/** The widths of other characters in texts. All others count as wide as the widest emoji. */
const OTHERS = {
    '\u00a0': 713,
    '·': 778,
    '‘': 778,
    '’': 778,
    '“': 1346,
    '”': 1346,
    '–': 1024,
    '—': 2048,
    '…': 2048,
};
const WIDEST = 1.4 * 2048;
function table(widths) {
    return widths.split(/\s+/).map(Number);
}
/** The largest width of a text in any likely font, in pixels. */
function widthOf(text, { size, bold }) {
    const widths = bold ? BOLD : REGULAR;
    let sum = 0;
    // Accents have no width: é is as wide as e.
    for (const sign of text.normalize('NFD')) {
        if (/\p{Mn}/u.test(sign))
            continue;
        sum += widths[sign.codePointAt(0) - 0x20] ?? OTHERS[sign] ?? WIDEST;
    }
    return (sum / 2048) * size;
}
/** Splits a word into pieces of at most this width. */
function pieces(word, type, width) {
    const parts = [''];
    for (const sign of word) {
        const longer = `${parts.at(-1)}${sign}`;
        if (longer === sign || widthOf(longer, type) <= width)
            parts[parts.length - 1] = longer;
        else
            parts.push(sign);
    }
    return parts;
}
/** Breaks a text into lines of at most this width, between words, and within words that are wider. */
function wrap(text, type, width) {
    const lines = [];
    for (const piece of text.split(/[ \t\r\n]+/).flatMap((word) => pieces(word, type, width))) {
        const last = lines.at(-1);
        if (last !== undefined && widthOf(`${last} ${piece}`, type) <= width)
            lines[lines.length - 1] = `${last} ${piece}`;
        else
            lines.push(piece);
    }
    return lines;
}
//# sourceMappingURL=text-width.js.map