//! Loop nests of linear algebra, stencils and dynamic programming, as statements with their loops and accesses.
//!
//! A line is a statement: its loops, from outside to inside, each with its first value and the one after its last, then
//! the element that it writes and the elements that it reads. `N` and `M` are parameters.

/// A name and the statements in their order.
pub const NESTS: [(&str, &str); 24] = [
    ("matrix product", "i=0..N j=0..N k=0..N | C[i,j] = C[i,j] A[i,k] B[k,j]"),
    (
        "two products",
        "i=0..N j=0..N k=0..N | T[i,j] = T[i,j] A[i,k] B[k,j]
         p=0..N q=0..N r=0..N | D[p,q] = D[p,q] T[p,r] C[r,q]",
    ),
    (
        "product and transpose",
        "i=0..N j=0..M | Y[j] = Y[j] A[i,j] X[i]\n i=0..N j=0..M | X[i] = X[i] A[i,j] Z[j]",
    ),
    ("rank one update", "i=0..N j=0..M | A[i,j] = A[i,j] U[i] V[j]"),
    ("symmetric update", "i=0..N j=0..i+1 k=0..M | C[i,j] = C[i,j] A[i,k] A[j,k]"),
    ("triangular product", "i=0..N j=0..M k=i+1..N | B[i,j] = B[i,j] A[k,i] B[k,j]"),
    ("triangular solve", "i=0..N j=0..i | X[i] = X[i] L[i,j] X[j]\n i=0..N | X[i] = X[i] L[i,i]"),
    (
        "Cholesky",
        "i=0..N j=0..i k=0..j | A[i,j] = A[i,j] A[i,k] A[j,k]
         i=0..N j=0..i | A[i,j] = A[i,j] A[j,j]
         i=0..N k=0..i | A[i,i] = A[i,i] A[i,k]",
    ),
    (
        "LU",
        "i=0..N j=0..i k=0..j | A[i,j] = A[i,j] A[i,k] A[k,j]
         i=0..N j=0..i | A[i,j] = A[i,j] A[j,j]
         i=0..N j=i..N k=0..i | A[i,j] = A[i,j] A[i,k] A[k,j]",
    ),
    ("heat 1D", "t=0..M i=1..N-1 | B[i] = A[i-1] A[i] A[i+1]\n t=0..M i=1..N-1 | A[i] = B[i-1] B[i] B[i+1]"),
    ("heat 1D with time", "t=0..M i=1..N-1 | A[t+1,i] = A[t,i-1] A[t,i] A[t,i+1]"),
    (
        "heat 2D",
        "t=0..M i=1..N-1 j=1..N-1 | B[i,j] = A[i,j] A[i-1,j] A[i+1,j] A[i,j-1] A[i,j+1]
         t=0..M i=1..N-1 j=1..N-1 | A[i,j] = B[i,j] B[i-1,j] B[i+1,j] B[i,j-1] B[i,j+1]",
    ),
    (
        "heat 3D",
        "t=0..M i=1..N-1 j=1..N-1 k=1..N-1 | A[t+1,i,j,k] = A[t,i,j,k] A[t,i-1,j,k] A[t,i,j-1,k] A[t,i,j,k+1]",
    ),
    (
        "Gauss-Seidel",
        "t=0..M i=1..N-1 j=1..N-1 | A[i,j] = A[i-1,j-1] A[i-1,j] A[i-1,j+1] A[i,j-1] A[i,j+1] A[i+1,j] A[i+1,j+1]",
    ),
    ("Floyd-Warshall", "k=0..N i=0..N j=0..N | P[i,j] = P[i,j] P[i,k] P[k,j]"),
    ("longest common part", "i=1..N j=1..M | L[i,j] = L[i-1,j-1] L[i-1,j] L[i,j-1]"),
    ("parentheses", "l=2..N i=0..N-l k=i+1..i+l | C[i,i+l] = C[i,i+l] C[i,k] C[k,i+l]"),
    ("prefix sums", "i=1..N | S[i] = S[i-1] X[i]\n i=0..N | Y[i] = S[i]"),
    ("convolution 1D", "i=0..N k=0..M | Y[i] = Y[i] X[i+k] W[k]"),
    ("convolution 2D", "i=0..N j=0..N p=0..M q=0..M | Y[i,j] = Y[i,j] X[i+p,j+q] W[p,q]"),
    ("strided sums", "i=0..N k=0..4 | Y[i] = Y[i] X[4*i+k]\n i=0..N | X[2*i] = Y[i]"),
    ("polynomial product", "i=0..N j=0..N | R[i+j] = R[i+j] P[i] Q[j]"),
    ("reversed copy", "i=0..N | A[N-i] = A[i]\n i=0..N | B[2*i+1] = A[N-i] B[2*i]"),
    (
        "alternating directions",
        "t=0..M i=1..N-1 j=1..N-1 | V[j,i] = V[j-1,i] U[i,j-1] U[i,j] U[i,j+1]
         t=0..M i=1..N-1 j=1..N-1 | U[i,j] = U[i,j-1] V[j-1,i] V[j,i] V[j+1,i]",
    ),
];
