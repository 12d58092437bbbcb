# Examples are data: installed under pkgdatadir/examples.
