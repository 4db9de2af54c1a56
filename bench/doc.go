// Package bench generates problems: families of mechanisms that grow with a
// number n, as models with a consistent state, and closed forms where they
// exist.
//
// Every model satisfies all its joints at position and velocity level by
// construction, to rounding relative to its size and speed; no solver is used.
// Equal (family, n, seed) give equal models. Rates stay bounded as n grows.
//
// Counts, with nb bodies, nj joints, and "world" counted as one more node, so
// that loops = nj − nb; rows are constraint rows, redundant = rows − rank,
// mobility = 6·nb − rank:
//
//	family           nb         loops      rows        redundant  mobility
//	ladder           n          ⌊n/2⌋      9n/2        0          3n/2       (n even)
//	nfourbar         2n+1       n          15n+5       3n         1
//	scissor          2n         4n         30n−8       18n−7      1
//	chain            n          0          5n          0          n
//	tree             n          0          mixed       0          mixed
//	grid             n²         n²−n       5n²−2n      0          n²+2n
//	ball-net         n²         n²−n       6n²−3n      0          3n
//	revolute-net     2n²+n      n²         15n²+5n     3n²        n
//	stewart          13n        5n         72n         0          6n
//	random           n          ⌊n/3⌋      mixed       doubled    mixed
//	rover            7n−1       0          32n−7       0          10n+1
//	rocker-bogie     15n−1      2n         76n−7       0          14n+1
//	road-train       9n         0          43n−2       0          11n+2
//	tracked          4n+5       0          20n+20      0          4n+10
//	gear-train       n          0          6n−1        0          1          n−1 couplings
//	belt             n          0          6n          1          1          n couplings
//	valve-train      3n         0          18n−1       0          1          3n−1 couplings
//	cam-train        3n         2n         18n−1       0          1          n−1 couplings, curves that touch
//	trailers         3n         2n         18n−2       0          2          wheels that roll
//	bicycle          4n         n          21n         0          3n         wheels that roll
//	rolling-disc     n          0          3n          0          3n         wheels that roll
//	snakeboard       4n         2n         23n         0          n          edges
//	hoberman         2n+4       2n+5       16n+35      4n+12      1
//	hoberman-sphere  24n+12     12n+15     180n+135    36n+64     1
//	miura            (n+1)²     n²+2       10n(n+1)+6  4n²−2n+1   1
//	jansen           12n+1      6n         90n+5       18n        1
//	delta            3n+7       2n+3       19n+38      n−1        3
//	excavator        3n+9       n+3        20n+60      3n+9       n+3
//	biped            23n        6n         126n        6n         18n
//
// Four families are vehicles on hills: rover, rocker-bogie, road-train and tracked. Each of their wheels has a contact and a motor.
// No joint connects them to the world, so they have one loop more than nj − nb. Nor does a joint connect a biped to the world;
// each has one loop more.
//
// The last seven families of the table, and bicycles, discs and snakeboards have visuals if the model has at most 5000 bodies.
//
// Default frame: world axes. Units: SI.
//
//	m, err := bench.Generate("ladder", 1000, 1)
package bench
