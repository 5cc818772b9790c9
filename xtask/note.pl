% The search of Bik's note, restated: states of two registers of four elements, rules written by hand
% for a subset of SSE2, iterative deepening, goals up to associativity and commutativity of +.

step(movdqa, [X, _], [X, X]).
step(movdqa_back, [_, Y], [Y, Y]).
step(pxor, [_, Y], [[0, 0, 0, 0], Y]).
step(pcmpeq, [_, Y], [[1, 1, 1, 1], Y]).
step(movd(S), [scalar(S), Y], [[S, 0, 0, 0], Y]).
step(punpckldq, [[A, B, _, _], [E, F, G, H]], [[A, E, B, F], [E, F, G, H]]).
step(punpckldq_same, [[A, B, _, _], Y], [[A, A, B, B], Y]).
step(punpckhdq, [[_, _, C, D], [E, F, G, H]], [[C, G, D, H], [E, F, G, H]]).
step(punpcklqdq, [[A, B, _, _], [E, F, G, H]], [[A, B, E, F], [E, F, G, H]]).
step(punpcklqdq_same, [[A, B, _, _], Y], [[A, B, A, B], Y]).
step(psrldq(4), [[_, B, C, D], Y], [[B, C, D, 0], Y]).
step(psrldq(8), [[_, _, C, D], Y], [[C, D, 0, 0], Y]).
step(psrldq(12), [[_, _, _, D], Y], [[D, 0, 0, 0], Y]).
step(pslldq(4), [[A, B, C, _], Y], [[0, A, B, C], Y]).
step(pslldq(8), [[A, B, _, _], Y], [[0, 0, A, B], Y]).
step(paddd, [[A, B, C, D], [E, F, G, H]], [[A + E, B + F, C + G, D + H], [E, F, G, H]]).
step(swap(Name), [X, Y], [P, Q]) :-
    member(Name, [psrldq(4), psrldq(8), psrldq(12), pslldq(4), pslldq(8), paddd, punpckldq, punpckhdq, punpcklqdq]),
    step(Name, [Y, X], [Q, P]).

reach(0, State, State, []).
reach(N, State, End, [Name | Names]) :-
    N > 0, M is N - 1, step(Name, State, Next), reach(M, Next, End, Names).

search(Start, Goal) :-
    between(1, 8, Length), reach(Length, Start, End, Names), call(Goal, End), !,
    format("~w ~w~n", [Length, Names]).

terms(A + B, Terms) :- !, terms(A, P), terms(B, Q), append(P, Q, Terms).
terms(0, []) :- !.
terms(A, [A]).

summed([[E | _], _]) :- terms(E, Terms), msort(Terms, [a, b, c, d]).
zeroed([[0, 0, 0, 0], _]).
oned([[1, 1, 1, 1], _]).
spread([[s, s, s, s], _]).

zero :- search([[u, u, u, u], [v, v, v, v]], zeroed).
ones :- search([[u, u, u, u], [v, v, v, v]], oned).
broadcast :- search([scalar(s), [v, v, v, v]], spread).
sum :- search([[a, b, c, d], [v, v, v, v]], summed).
