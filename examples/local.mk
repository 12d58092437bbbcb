# Examples are data: installed under pkgdatadir/examples.
nobase_dist_pkgdata_DATA += \
	examples/payroll/README.md \
	examples/payroll/employees.json \
	examples/payroll/loop.py \
	examples/payroll/payroll.py \
	examples/payroll/raise-5000.py \
	examples/payroll/raise-9000.py \
	examples/payroll/tollbridge.json
