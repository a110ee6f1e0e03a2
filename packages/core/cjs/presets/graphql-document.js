"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.operationsOf = operationsOf;
/** Blanks, commas, byte order marks and comments, which mean nothing. Names, numbers and punctuators. */
const TOKEN = /(?:[\s,\uFEFF]+|#[^\n\r]*)|([_A-Za-z]\w*)|(?:-?\d[\w.+-]*|\.\.\.)|([!$&():=@[\]{|}])/y;
const OPENING = '({[';
const CLOSING = ')}]';
/** Something that the reader does not know: the whole document is then of no known kind. */
class Unparsable extends Error {
}
/** Where a string ends that begins at a position: strings may have braces and keywords in them. */
function endOfString(text, start) {
    if (text.startsWith('"""', start)) {
        for (let at = text.indexOf('"""', start + 3); at >= 0; at = text.indexOf('"""', at + 3)) {
            if (text[at - 1] !== '\\')
                return at + 3;
        }
        throw new Unparsable();
    }
    for (let at = start + 1; at < text.length; at += 1) {
        const character = text[at];
        if (character === '"')
            return at + 1;
        if (character === '\n' || character === '\r')
            break;
        if (character === '\\')
            at += 1;
    }
    throw new Unparsable();
}
/** The names and punctuators of a document. */
function* tokensOf(text) {
    for (let at = 0; at < text.length;) {
        if (text[at] === '"') {
            at = endOfString(text, at);
            continue;
        }
        TOKEN.lastIndex = at;
        const found = TOKEN.exec(text);
        if (found === null)
            throw new Unparsable();
        at = TOKEN.lastIndex;
        const token = found[1] ?? found[2];
        if (token !== undefined)
            yield token;
    }
}
/** Reads past a definition whose head has begun: up to the end of its first braces that are in nothing else. */
function skipDefinition(tokens, first, isFragment = false) {
    const open = [];
    let before;
    for (let token = first; token !== undefined; before = token, token = next(tokens)) {
        // In the head of an operation only directives have names.
        if (open.length === 0 && !isFragment && isName(token) && before !== '@')
            throw new Unparsable();
        if (OPENING.includes(token)) {
            open.push(token);
        }
        else if (CLOSING.includes(token)) {
            const opened = open.pop();
            if (opened === undefined || OPENING.indexOf(opened) !== CLOSING.indexOf(token))
                throw new Unparsable();
            if (opened === '{' && open.length === 0)
                return;
        }
    }
    throw new Unparsable();
}
function next(tokens) {
    const { done, value } = tokens.next();
    return done ? undefined : value;
}
function isName(token) {
    return token !== undefined && /^\w/.test(token);
}
function readOperations(text) {
    const tokens = tokensOf(text);
    const operations = [];
    for (let token = next(tokens); token !== undefined; token = next(tokens)) {
        if (token === 'query' || token === 'mutation' || token === 'subscription') {
            const after = next(tokens);
            operations.push({ kind: token, name: isName(after) ? after : undefined });
            skipDefinition(tokens, isName(after) ? next(tokens) : after);
        }
        else if (token === '{') {
            operations.push({ kind: 'query', name: undefined });
            skipDefinition(tokens, token);
        }
        else if (token === 'fragment') {
            skipDefinition(tokens, next(tokens), true);
        }
        else {
            throw new Unparsable();
        }
    }
    return operations;
}
/**
 * The operations of a GraphQL document, in their order; none if it cannot be read. It need not be valid: the server checks
 * that, and refuses it.
 *
 * Source: GraphQL, September 2025, §2.1 to §2.4.
 */
function operationsOf(document) {
    try {
        return readOperations(document);
    }
    catch (error) {
        if (error instanceof Unparsable)
            return [];
        throw error;
    }
}
//# sourceMappingURL=graphql-document.js.map